import { parseObject } from '../bundles/members.ts'
import { FrameError } from '../FrameError.ts'
import { readStyles, type Styles } from './styles.ts'

export type Settings = {
  styles: Styles
  /** Import frame: whether it also asks for a passphrase. */
  enablePassphrase: boolean
  /** Import frame: looks of that field. */
  passphraseStyles: Styles
}

const storageKey = 'TURNKEY_SETTINGS'

/** Reads `{"styles":{…},"enablePassphrase":true,"passphraseStyles":{…}}`; what is left out is empty or off. */
export function readSettings(text: string): Settings {
  const { styles = {}, enablePassphrase = false, passphraseStyles = {} } = parseObject(text, 'the settings')
  if (typeof enablePassphrase !== 'boolean')
    throw new FrameError('the settings hold an enablePassphrase that is no boolean')
  return { styles: readStyles(styles), enablePassphrase, passphraseStyles: readStyles(passphraseStyles) }
}

/** Keeps the settings for the next frame. A browser that refuses storage just forgets them. */
export function storeSettings(settings: Settings): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(JSON.stringify(settings)))
  } catch {
    // Looks are not worth a failed export.
  }
}

/** The settings kept; none when there are none or they are no longer allowed. */
export function storedSettings(): Settings {
  try {
    return readSettings(String(JSON.parse(localStorage.getItem(storageKey) ?? '')))
  } catch {
    return readSettings('{}')
  }
}
