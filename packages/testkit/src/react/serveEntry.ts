import react from '@vitejs/plugin-react'
import { build, type Rolldown } from 'vite'
import { type Listening, listen } from '../signer/listen.ts'

type File = { type: string; body: string; isFirst: boolean }

/**
 * `alias` replaces packages by folders, for example by another version of React. `define` replaces identifiers in the
 * build.
 */
type Options = { alias?: Record<string, string>; define?: Record<string, string> }

/** Builds `entry`, a TSX module whose imports are resolved from `root`, and serves a page that runs it. */
export async function serveEntry(root: string, entry: string, options: Options = {}): Promise<Listening> {
  const files = await buildEntry(root, entry, options)
  const tags = [...files]
    .filter(([, { isFirst }]) => isFirst)
    .map(([path, { type }]) =>
      type === 'text/css' ? `<link rel="stylesheet" href="${path}">` : `<script type="module" src="${path}"></script>`,
    )
  const head = '<title>Test</title><link rel="icon" href="data:,"><meta name="viewport" content="width=device-width">'
  const html = `<!doctype html><html lang="en">${head}<div id="root"></div>${tags.join('')}`
  return listen((request, response) => {
    const file = files.get(request.url?.split('?')[0] ?? '')
    response.setHeader('content-type', file?.type ?? 'text/html')
    response.end(file?.body ?? html)
  })
}

async function buildEntry(
  root: string,
  entry: string,
  { alias = {}, define = {} }: Options,
): Promise<Map<string, File>> {
  const id = 'virtual:page.tsx'
  const built = (await build({
    configFile: false,
    logLevel: 'error',
    root,
    define,
    resolve: { alias, conditions: ['@latchkey/source', 'module', 'browser'] },
    plugins: [
      react(),
      { name: 'page', resolveId: (name) => (name === id ? id : null), load: (name) => (name === id ? entry : null) },
    ],
    build: { write: false, minify: false, rolldownOptions: { input: id } },
  })) as Rolldown.RolldownOutput
  return new Map(
    built.output.map((file) => [
      `/${file.fileName}`,
      file.type === 'chunk'
        ? { type: 'text/javascript', body: file.code, isFirst: file.isEntry }
        : { type: 'text/css', body: String(file.source), isFirst: true },
    ]),
  )
}
