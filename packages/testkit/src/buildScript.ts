import { fileURLToPath } from 'node:url'
import { build, type UserConfig } from 'vite'

export async function buildScript(entry: URL, config: Pick<UserConfig, 'define' | 'resolve'> = {}): Promise<string> {
  const built = await build({
    ...config,
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: { input: fileURLToPath(entry), output: { codeSplitting: false } },
    },
  })
  const [first] = [built].flat()
  if (!first || !('output' in first)) throw new TypeError(`${entry.pathname} was not built.`)
  return first.output[0].code
}
