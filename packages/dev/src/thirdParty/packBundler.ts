import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export declare namespace packBundler {
  type Parameters = {
    /** `node_modules` folder that contains alto. */
    modules: string
    /** Path of the file to write. */
    path: string
  }
}

/**
 * Empty replacements for packages that report to services. Only `SENTRY_DSN` and an OpenTelemetry preload use them,
 * which the devnet never sets.
 */
const unused: Readonly<Record<string, string>> = {
  '@sentry/node': 'export function captureException() {}',
  '@opentelemetry/api': 'export const trace = { getActiveSpan() {} }',
}

/**
 * Packs the bundler alto into one file. The bundler is under the GPL, so it always runs as a separate program and is
 * never imported.
 */
export async function packBundler({ modules, path }: packBundler.Parameters): Promise<void> {
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({
    input: join(modules, '@pimlico/alto/esm/cli/alto.js'),
    platform: 'node',
    logLevel: 'silent',
    plugins: [
      {
        name: 'without reports',
        resolveId: {
          filter: { id: new RegExp(`^(${Object.keys(unused).join('|')})$`) },
          handler: (id) => `\0${id}`,
        },
        load: { filter: { id: /^\0@/ }, handler: (id) => unused[id.slice(1)] },
      },
      {
        name: 'our viem',
        resolveId: {
          filter: { id: /^viem(\/|$)/ },
          handler(id, importer) {
            return this.resolve(id, fileURLToPath(import.meta.url), { skipSelf: importer !== undefined })
          },
        },
      },
    ],
  })
  try {
    await bundle.write({ file: path, format: 'esm', codeSplitting: false })
  } finally {
    await bundle.close()
  }
}
