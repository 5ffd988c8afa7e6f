// Builds the exit page into one file, `pages/exit.html` or the path in the first argument. The build is reproducible.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const out = process.argv[2] ? resolve(process.argv[2]) : here('pages/exit.html')
const read = (name) => readFileSync(here(`src/page/${name}`), 'utf8')

const bundle = await rolldown({
  input: here('src/page/main.ts'),
  platform: 'browser',
  tsconfig: false,
  resolve: { conditionNames: ['@latchkey/source', 'import', 'module', 'browser', 'default'] },
  treeshake: true,
})
const { output } = await bundle.generate({ format: 'iife', minify: true, codeSplitting: false, comments: false })
await bundle.close()
// A string in the script could otherwise end the script element early.
const script = output[0].code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--')
const style = read('style.css')

/** Returns a hash for the content security policy, which allows the file to run only these bytes and to call a node. */
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  'connect-src http: https:',
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const values = { POLICY: policy, STYLE: style, SCRIPT: script }
const html = read('index.html').replace(/__(POLICY|STYLE|SCRIPT)__/g, (_, name) => values[name])
mkdirSync(dirname(out), { recursive: true })
writeFileSync(out, html)
