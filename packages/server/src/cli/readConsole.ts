import type { ConsoleOptions, Role } from '../app/options.ts'
import type { Reader } from './createReader.ts'
import { settings } from './settings.ts'

export function readConsole(reader: Reader, chosen: readonly Role[]): ConsoleOptions | undefined {
  const known = reader.read(
    settings.pick({ LATCHKEY_CONSOLE_URL: true, LATCHKEY_OPERATORS_FILE: true }),
    ({ LATCHKEY_CONSOLE_URL: url, LATCHKEY_OPERATORS_FILE: operators }) => ({ url, operators }),
  )
  const isConsole = chosen.includes('console')
  const adminUrl = isConsole
    ? reader.read(settings.pick({ LATCHKEY_ADMIN_URL: true }), (values) => values.LATCHKEY_ADMIN_URL)
    : undefined
  if (!known) return undefined
  const { url, operators } = known
  if (url === undefined) {
    if (isConsole || operators)
      reader.report('LATCHKEY_CONSOLE_URL is missing: public URL of the console, on its own origin')
    return undefined
  }
  return { url, operators, adminUrl }
}
