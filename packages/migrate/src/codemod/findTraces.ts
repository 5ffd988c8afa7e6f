import { type Finding, isSourcePath, type ProjectFile } from './parts.ts'

type Trace = { pattern: RegExp; in: 'sources' | 'styles' | 'both'; needsTheme: boolean; say: (found: string) => string }

const colors =
  'active|static|critical|btn-(?:primary|secondary|auth)|fg-(?:primary|secondary|tertiary|invert|btn-primary|disabled|accent-brand|critical|success)|bg-surface-(?:default|subtle|inset|critical|success|warning|error)'

/** Statuses, classes and properties of Account Kit that an app may use as strings, without an import. */
const traces: readonly Trace[] = [
  {
    pattern: /\b(?:AWAITING_OTP_AUTH|AUTHENTICATING_(?:PASSKEY|EMAIL))\b/,
    in: 'sources',
    needsTheme: false,
    say: (found) =>
      `${found} is AUTHENTICATING here; until the code is typed or the link is opened, it is AWAITING_EMAIL_AUTH`,
  },
  {
    pattern: /\b(?:AWAITING_SMS_AUTH|AUTHENTICATING_(?:OAUTH|JWT))\b/,
    in: 'sources',
    needsTheme: false,
    say: (found) => `the signer never has the status ${found} here: remove its branch`,
  },
  {
    pattern: /--akui-[\w-]+/,
    in: 'both',
    needsTheme: false,
    say: (found) => `${found} is gone: use a property of latchkey/styles.css, such as --lk-primary, or your own`,
  },
  {
    pattern: /\bakui-[a-z][\w-]*/,
    in: 'both',
    needsTheme: false,
    say: (found) => `the class ${found} is gone with Account Kit's Tailwind plugin: style it by your own`,
  },
  {
    pattern: new RegExp(
      `\\b(?:bg|text|border|ring|fill|stroke|from|via|to|outline|divide|placeholder|caret|accent|decoration)-(?:${colors})(?![\\w-])`,
    ),
    in: 'both',
    needsTheme: true,
    say: (found) =>
      `the class ${found} is gone with Account Kit's Tailwind plugin: add its color to your Tailwind theme`,
  },
  {
    pattern: /@account-kit\/react(?!\/styles\.css)[\w/-]*/,
    in: 'styles',
    needsTheme: false,
    say: (found) => `${found} is not needed here: remove this line`,
  },
]

/** Finds Account Kit's statuses, and the classes and properties of its styles, in strings. */
export function findTraces(files: readonly ProjectFile[], { hasTheme }: { hasTheme: boolean }): Finding[] {
  return files.flatMap(({ path, text }) => {
    const kind = isStylePath(path) ? 'styles' : isSourcePath(path) ? 'sources' : undefined
    if (kind === undefined) return []
    const used = traces.filter((trace) => (trace.in === 'both' || trace.in === kind) && (hasTheme || !trace.needsTheme))
    return text.split('\n').flatMap((line, index) => {
      const trace = used.find(({ pattern }) => pattern.test(line))
      const [found] = trace?.pattern.exec(line) ?? []
      return trace && found !== undefined ? [{ path, line: index + 1, text: trace.say(found) }] : []
    })
  })
}

export const isStylePath = (path: string): boolean => /\.(?:css|scss|sass|less|pcss)$/.test(path)

/** Replaces the import of Account Kit's styles in style sheets. */
export function moveStyles(files: readonly ProjectFile[]): (ProjectFile & { before: string })[] {
  return files
    .filter(({ path, text }) => isStylePath(path) && text.includes(old))
    .map(({ path, text }) => ({ path, before: text, text: text.replaceAll(old, 'latchkey/styles.css') }))
}

const old = '@account-kit/react/styles.css'
