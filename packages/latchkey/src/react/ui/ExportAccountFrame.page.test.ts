import { fileURLToPath } from 'node:url'
import { serveEntry } from '@latchkey/testkit/react/serveEntry'
import { test } from '@latchkey/testkit/worker'
import { expect } from 'vitest'

const entry = `
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { ExportAccountFrame } from '/src/react/ui/ExportAccountFrame.tsx'

function Page() {
  const [css, setCss] = useState({ minHeight: '120px' })
  return <main>
    <button onClick={() => setCss(undefined)}>Plain</button>
    <ExportAccountFrame containerId="place" iframeCss={css} isExported />
  </main>
}
createRoot(document.getElementById('root')).render(<Page />)
`

test('keeps the page when an extension has moved a node of the frame', async ({ browser }) => {
  const server = await serveEntry(fileURLToPath(new URL('../../../', import.meta.url)), entry)
  const page = await browser.newPage()
  try {
    await page.goto(server.url)
    await page.locator('main style').evaluate((style) => document.head.append(style))
    await page.getByRole('button', { name: 'Plain' }).click()
    await expect.poll(() => page.locator('#place').count()).toBe(1)
    await page.getByRole('button', { name: 'Plain' }).waitFor({ timeout: 5_000 })
  } finally {
    await page.close()
    await server.close()
  }
})
