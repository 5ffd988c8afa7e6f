import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright-core'
import type { KitSettings, KitWallet } from './kitPage/types.ts'

/** Path of the page at the app's origin. Requests for it do not reach the app's server. */
const path = '/__latchkey-test-kit__'

/** Opens a page at the app's origin that contains a wallet with these settings. */
export async function openKitPage(context: BrowserContext, appUrl: string, settings: KitSettings): Promise<Page> {
  const url = new URL(path, appUrl).href
  // Chromium treats an intercepted page as public. Without this permission, it would ask before the page may send
  // requests to this machine.
  await context.grantPermissions(['local-network-access'], { origin: new URL(appUrl).origin }).catch(() => undefined)
  const page = await context.newPage()
  try {
    await page.route(url, async (route) => {
      const body = `<!doctype html><meta charset="utf-8"><title>Latchkey test kit</title><script type="module">${await readScript()}</script>`
      await route.fulfill({ contentType: 'text/html; charset=utf-8', body })
    })
    await page.goto(url)
    await page.waitForFunction('globalThis.latchkeyKit')
    await page.evaluate(
      `(async () => { globalThis.latchkeyWallet = await latchkeyKit.start(${JSON.stringify(settings)}) })()`,
    )
    return page
  } catch (error) {
    await page.close()
    throw error
  }
}

export function callKit<name extends keyof KitWallet>(
  page: Page,
  name: name,
  ...args: Parameters<KitWallet[name]>
): Promise<Awaited<ReturnType<KitWallet[name]>>> {
  const list = args.map((value) => JSON.stringify(value)).join(', ')
  return page.evaluate(`latchkeyWallet.${name}(${list})`)
}

let script: Promise<string> | undefined

function readScript(): Promise<string> {
  script ??= bundle()
  return script
}

async function bundle(): Promise<string> {
  const { rolldown } = await import('rolldown')
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const input = fileURLToPath(new URL(`./kitPage/main.${extension}`, import.meta.url))
  const bundled = await rolldown({ input, platform: 'browser', logLevel: 'silent' })
  try {
    const { output } = await bundled.generate({ format: 'esm', codeSplitting: false, minify: true })
    // `</script` in the code would end the script element.
    return output[0].code.replaceAll('</script', '<\\/script')
  } finally {
    await bundled.close()
  }
}
