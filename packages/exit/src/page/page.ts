import { BaseError as LatchkeyError } from 'latchkey/accounts'
import { BaseError } from 'viem'
import { CommandError } from '../errors.ts'

/** Display of an asset. */
export type Shown = { name: string; text: string }

export function find<type extends Element>(id: string, type: new () => type): type {
  const element = document.getElementById(id)
  if (element instanceof type) return element
  throw new CommandError(`The page has no #${id}.`, { code: 'CONFIG_INVALID' })
}

/** Shows one step and focuses its heading, so that screen readers start there. */
export function showStep(name: string): void {
  let isPast = true
  for (const item of document.querySelectorAll<HTMLElement>('#steps li')) {
    const isCurrent = item.dataset.of === name
    if (isCurrent) isPast = false
    item.toggleAttribute('data-past', isPast)
    if (isCurrent) item.setAttribute('aria-current', 'step')
    else item.removeAttribute('aria-current')
  }
  for (const form of document.querySelectorAll<HTMLElement>('[data-step]')) form.hidden = form.dataset.step !== name
  find(`${name}-title`, HTMLElement).focus()
}

/** Runs a step when its form is submitted, one at a time. Shows failures in its alert. */
export function onStep(name: string, run: () => Promise<void>): void {
  const form = document.querySelector<HTMLFormElement>(`[data-step="${name}"]`)
  const button = form?.querySelector<HTMLButtonElement>('button[type="submit"]')
  const failure = document.getElementById(`${name}-error`)
  let isBusy = false
  form?.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isBusy) return
    isBusy = true
    button?.setAttribute('aria-busy', 'true')
    if (failure) failure.textContent = ''
    try {
      await run()
    } catch (error) {
      if (failure) failure.textContent = explain(error)
    } finally {
      isBusy = false
      button?.removeAttribute('aria-busy')
    }
  })
}

/**
 * Returns an error's sentence for the user. Node errors may contain a URL with a key, so only the short text is shown.
 */
export function explain(error: unknown): string {
  if (error instanceof CommandError)
    return error.code === 'NODE_UNREACHABLE' ? `${error.message}\n${aboutNodes}` : error.message
  if (error instanceof LatchkeyError) return [error.shortMessage, ...error.metaMessages].join('\n')
  if (error instanceof BaseError) return `${error.shortMessage}\n${aboutNodes}`
  return 'This page had an internal error. Nothing was sent. Start over, or use latchkey-dev exit.'
}

const aboutNodes = 'Is it reachable from here, and does it accept requests of web pages (CORS)? Try another node.'

export async function readFile(input: HTMLInputElement): Promise<string | undefined> {
  const file = input.files?.[0]
  // Larger files were chosen by mistake.
  return file && file.size <= 100_000 ? file.text() : file && ''
}

export function addFacts(id: string, facts: readonly (readonly [string, string])[]): void {
  const list = find(id, HTMLElement)
  list.replaceChildren(
    ...facts.map(([name, value]) => {
      const group = document.createElement('div')
      const term = document.createElement('dt')
      const detail = document.createElement('dd')
      term.textContent = name
      detail.textContent = value
      if (/0x[0-9a-f]{40}/i.test(value)) detail.className = 'mono'
      group.append(term, detail)
      return group
    }),
  )
  list.hidden = false
}

/** Names come from unknown contracts: set as text, never as markup. */
export function listAssets(
  id: string,
  shown: readonly Shown[],
  toBox?: (index: number) => { id: string; isTicked: boolean },
): void {
  find(id, HTMLElement).replaceChildren(
    ...shown.map(({ name, text }, index) => {
      const item = document.createElement('li')
      const words = document.createElement('span')
      const amount = document.createElement('strong')
      const label = document.createElement('span')
      amount.textContent = text
      label.textContent = name
      label.className = 'mono'
      words.append(amount, label)
      const box = toBox?.(index)
      item.append(box ? toChoice(box, words) : words)
      return item
    }),
  )
}

function toChoice({ id, isTicked }: { id: string; isTicked: boolean }, words: Element): Element {
  const choice = document.createElement('label')
  const input = document.createElement('input')
  input.type = 'checkbox'
  input.id = id
  input.checked = isTicked
  input.disabled = !isTicked
  choice.append(input, words)
  return choice
}
