import type { createSoftwarePasskey } from 'latchkey-dev/testing'

/** Selects an element by role and name, in the page or in one of its frames. */
export type Target = {
  role: 'button' | 'link' | 'textbox' | 'status' | 'alert' | 'heading' | 'list'
  /** Name of the element. Headings and lists are matched by their text. With `isPart`, part of the name suffices. */
  name: string
  isPart?: boolean
  /** Selector of the frame's element, such as `#turnkey-export-iframe`. */
  frame?: string
  /** Whether to use the last match, for example in a dialog over the page. */
  isLast?: boolean
}

/** Commands for one tab, implemented for each engine. */
export type Driver<element> = {
  goto(url: string): Promise<void>
  reload(): Promise<void>
  focus(): Promise<void>
  close(): Promise<void>
  evaluate<T>(source: string, frame?: string): Promise<T>
  find(source: string, frame?: string): Promise<element | null>
  click(element: element, frame?: string): Promise<void>
  type(element: element, text: string, frame?: string): Promise<void>
}

export type Tab = Pick<Driver<never>, 'goto' | 'reload' | 'focus' | 'close' | 'evaluate'> & {
  read(target: Target): Promise<string>
  readWhen(target: Target, text: string | RegExp): Promise<string>
  readFirst<T extends Target>(targets: readonly T[]): Promise<T>
  press(target: Target): Promise<void>
  /** Clicks until the target is gone, because a frame ignores clicks on elements that have just become visible. */
  pressSeen(target: Target): Promise<void>
  type(target: Target, text: string): Promise<void>
}

export type Engine = {
  name: string
  /** Opens a tab. `passkey` replaces the browser's own authenticator. */
  openTab(passkey?: createSoftwarePasskey.ReturnType): Promise<Tab>
  close(): Promise<void>
}

const patienceMs = 60_000
const stepMs = 100

class ExpectationFailed extends Error {}

/** Error for a driver that no longer responds. The state of the page is unknown. */
export class DriverLost extends Error {}

/** Treats an element that was lost to a render or a navigation as not found. */
function unlessLost(error: unknown): null {
  if (error instanceof DriverLost) throw error
  return null
}

export function toTab<element>(driver: Driver<element>): Tab {
  const { goto, reload, focus, close, evaluate } = driver
  async function until<T>(what: () => string, attempt: () => Promise<T | undefined>): Promise<T> {
    const deadline = performance.now() + patienceMs
    for (;;) {
      const found = await attempt()
      if (found !== undefined) return found
      if (performance.now() > deadline) break
      await new Promise((resolve) => setTimeout(resolve, stepMs))
    }
    const shown = await evaluate<string>('document.body.innerText.slice(0, 500)').catch(String)
    throw new ExpectationFailed(`${what()} within ${patienceMs / 1000} s. The page shows: ${shown}`)
  }
  const find = (target: Target) => driver.find(finder(target), target.frame).catch(unlessLost)
  const readText = (target: Target) =>
    evaluate<string | null>(`(${finder(target)})?.textContent?.trim() ?? null`, target.frame).catch(unlessLost)
  /** Finds an element and uses it. Retries if a render replaces the element before its use. */
  const use = (target: Target, action: (found: element) => Promise<void>) => {
    let why = 'it is not there'
    const what = () => `${target.role} "${target.name}" can be used (${why})`
    return until(what, async () => {
      const found = await find(target)
      if (found === null) return undefined
      // WebKit does not scroll to an element in a cross-origin frame, and clicks at the element's position before
      // scrolling.
      await evaluate(target.frame === undefined ? scrollToCenter(finder(target)) : scrollTo(target.frame))
      return action(found).then(
        () => true,
        (error) => {
          unlessLost(error)
          why = String(error)
        },
      )
    })
  }
  const press = async (target: Target) => void (await use(target, (found) => driver.click(found, target.frame)))
  const readWhen = (target: Target, wanted: string | RegExp) => {
    let seen: string | null = null
    return until(
      () => `${target.role} "${target.name}" says ${wanted} (it says ${seen})`,
      async () => {
        seen = await readText(target)
        const fits = seen !== null && (typeof wanted === 'string' ? seen.includes(wanted) : wanted.test(seen))
        return fits ? (seen ?? undefined) : undefined
      },
    )
  }
  return {
    ...{ goto, reload, focus, close, evaluate, readWhen, press },
    read: (target) => readWhen(target, /(?:)/),
    readFirst: (targets) =>
      until(
        () => `${targets.map(({ name }) => `"${name}"`).join(' or ')} is there`,
        async () => {
          for (const target of targets) if ((await readText(target)) !== null) return target
          return undefined
        },
      ),
    async pressSeen(target) {
      await readWhen(target, /(?:)/)
      for (let tries = 0; tries < 10 && (await readText(target)) !== null; tries++) {
        await evaluate(scrollTo(target.frame ?? 'html'))
        await new Promise((resolve) => setTimeout(resolve, 1_200))
        await press(target)
        await new Promise((resolve) => setTimeout(resolve, 300))
      }
    },
    async type(target, text) {
      await use(target, (found) => driver.type(found, text, target.frame))
    },
  }
}

const scrollToCenter = (element: string) => `(${element})?.scrollIntoView({ block: 'center', behavior: 'instant' })`

const scrollTo = (selector: string) =>
  `document.querySelector(${JSON.stringify(selector)})?.scrollIntoView({ block: 'center', behavior: 'instant' })`

const selectors: Record<Target['role'], string> = {
  button: 'button, [role=button]',
  link: 'a[href], [role=link]',
  textbox: 'input:not([type=hidden]):not([type=checkbox]), textarea',
  status: 'output, [role=status]',
  alert: '[role=alert]',
  heading: 'h1, h2, h3',
  list: 'ul, ol',
}

/** Returns a script expression that finds the visible element by label or text. */
function finder({ role, name, isPart = false, isLast = false }: Target): string {
  const search = (wanted: { selector: string; name: string; isPart: boolean; isLast: boolean; byText: boolean }) => {
    const words = (node: Element | null) => (node?.textContent ?? '').replace(/\s+/g, ' ').trim()
    const getName = (element: Element): string => {
      const labelled = (element.getAttribute('aria-labelledby') ?? '')
        .split(' ')
        .map((id) => document.getElementById(id))
      const labels = [...((element as HTMLInputElement).labels ?? [])]
      return (
        element.getAttribute('aria-label') ??
        ([...labelled, ...labels].map(words).filter(Boolean).join(' ') || words(element))
      )
    }
    const found = [...document.querySelectorAll(wanted.selector)].filter((element) => {
      if (element.getClientRects().length === 0) return false
      const own = wanted.byText && element.getAttribute('aria-label') === null ? words(element) : getName(element)
      return wanted.isPart ? own.includes(wanted.name) : own === wanted.name
    })
    return found.at(wanted.isLast ? -1 : 0) ?? null
  }
  const byText = role === 'heading'
  return `(${search.toString()})(${JSON.stringify({ selector: selectors[role], name, isPart, isLast, byText })})`
}
