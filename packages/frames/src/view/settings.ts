import { parseObject } from '../bundles/members.ts'
import { FrameError } from '../FrameError.ts'

export type Settings = {
  styles: Styles
  /** Whether the import frame also asks for a passphrase. */
  enablePassphrase: boolean
  /** Styles of the passphrase field in the import frame. */
  passphraseStyles: Styles
}

const storageKey = 'TURNKEY_SETTINGS'

/** Parses `{"styles":{…},"enablePassphrase":true,"passphraseStyles":{…}}`. Missing members are empty or false. */
export function readSettings(text: string): Settings {
  const { styles = {}, enablePassphrase = false, passphraseStyles = {} } = parseObject(text, 'the settings')
  if (typeof enablePassphrase !== 'boolean')
    throw new FrameError('the settings hold an enablePassphrase that is no boolean')
  return { styles: readStyles(styles), enablePassphrase, passphraseStyles: readStyles(passphraseStyles) }
}

/** Stores the settings for the next frame, if the browser permits storage. */
export function storeSettings(settings: Settings): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(JSON.stringify(settings)))
  } catch {
    // Invalid styles must not prevent an export.
  }
}

/** Returns the stored settings. Returns empty settings if there are none, or if they are no longer allowed. */
export function storedSettings(): Settings {
  try {
    return readSettings(String(JSON.parse(localStorage.getItem(storageKey) ?? '')))
  } catch {
    return readSettings('{}')
  }
}

/**
 * Styles that a page may set for an element of the frame, by CSSOM property name. `labelColor` applies to the label.
 */
export type Styles = Readonly<Record<string, string>>

const length = String.raw`(?:0|-?\d{1,5}(?:\.\d{1,4})?(?:px|em|rem|%|vh|vw|vmin|vmax|pt|ch|ex))`
const color = String.raw`(?:#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|(?:rgb|hsl)a?\([\d\s.,%/deg-]{1,60}\)|[a-z]{3,22})`
const whole = (pattern: string) => new RegExp(`^(?:${pattern})$`, 'i')
const lengths = whole(`(?:${length}|auto|inherit|initial)(?: (?:${length}|auto)){0,3}`)
const size = whole(`${length}|auto|none|inherit|initial|fit-content|min-content|max-content`)
const colors = whole(color)

/** Allowed properties. The whole value must match the pattern. */
const allowed: ReadonlyMap<string, RegExp> = new Map([
  ['padding', lengths],
  ['margin', lengths],
  ['borderWidth', whole(`(?:${length}|thin|medium|thick)(?: (?:${length}|thin|medium|thick)){0,3}`)],
  ['borderStyle', whole('none|hidden|dotted|dashed|solid|double|groove|ridge|inset|outset')],
  ['borderColor', colors],
  ['borderRadius', lengths],
  ['fontSize', whole(`${length}|(?:xx?-)?small|medium|(?:xx?-)?large|smaller|larger|inherit|initial`)],
  ['fontWeight', whole('normal|bold|bolder|lighter|[1-9]00|inherit|initial')],
  ['fontFamily', /^[^";<>]{1,200}$/],
  ['color', colors],
  ['labelColor', colors],
  ['backgroundColor', colors],
  ['width', size],
  ['height', size],
  ['maxWidth', size],
  ['maxHeight', size],
  ['lineHeight', whole(`${length}|\\d{1,2}(?:\\.\\d{1,3})?|normal|inherit|initial`)],
  ['boxShadow', whole(`none|(?:inset )?${length}(?: ${length}){1,3}(?: ${color})?`)],
  ['textAlign', whole('left|right|center|justify|start|end')],
  ['overflowWrap', whole('normal|break-word|anywhere')],
  ['wordWrap', whole('normal|break-word|anywhere')],
  ['resize', whole('none|both|horizontal|vertical')],
])

/** Validates the styles that a page requests. Throws if any property or value is not allowed. */
export function readStyles(styles: unknown): Styles {
  if (typeof styles !== 'object' || styles === null || Array.isArray(styles)) {
    throw new FrameError('the styles in the settings must be an object')
  }
  const entries = Object.entries(styles as Record<string, unknown>).map(([name, value]) => {
    const pattern = allowed.get(name)
    if (!pattern) throw new FrameError(`unsupported style: ${name.slice(0, 40)}`)
    const trimmed = typeof value === 'string' ? value.trim() : ''
    if (!pattern.test(trimmed)) throw new FrameError(`unsupported value of style ${name}`)
    return [name, trimmed] as const
  })
  return Object.fromEntries(entries)
}

/**
 * Sets the styles through the CSSOM, so that no value can add another rule. Applies the element's background to the
 * page, too.
 */
export function applyStyles({ labelColor, ...styles }: Styles, element: HTMLElement, label: HTMLElement): void {
  if (labelColor !== undefined) label.style.color = labelColor
  for (const [name, value] of Object.entries(styles)) {
    element.style.setProperty(
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      value,
    )
  }
  if (styles.backgroundColor !== undefined) document.body.style.backgroundColor = styles.backgroundColor
}
