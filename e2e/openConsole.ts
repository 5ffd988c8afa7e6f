import type { BrowserContext, Page } from 'playwright-core'

export async function openConsole(context: BrowserContext, url: string, path = ''): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${url}/${path}`)
  await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
  return page
}

export const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
