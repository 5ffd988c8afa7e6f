import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launchBrowser } from 'latchkey-dev/testing'
import { build, preview } from 'vite'

/** Builds a module of an installed project with Vite, runs it in Chromium and returns the text of the page. */
export async function runInPage(project: string, file: string): Promise<string> {
  writeFileSync(join(project, 'index.html'), `<main></main><script type="module" src="./${file}"></script>`)
  const config = { root: project, configFile: false, logLevel: 'silent' } as const
  await build(config)
  const server = await preview({ ...config, preview: { port: 0, host: '127.0.0.1' } })
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    await page.goto(server.resolvedUrls?.local[0] ?? '')
    const shown = page.locator('main:not(:empty)')
    return (await shown.textContent({ timeout: 60_000 })) ?? ''
  } finally {
    await browser.close()
    await server.close()
  }
}
