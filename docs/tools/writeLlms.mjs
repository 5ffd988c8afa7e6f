import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Writes llms.txt, a list of all pages for language models (llmstxt.org), and llms-full.txt with the full text of the
 * guides. VitePress calls this at the end of its build.
 */
export function writeLlms({ pages, srcDir, outDir, rewrites }) {
  const read = (page) => {
    const include = (_line, path) => readFileSync(join(srcDir, dirname(page), path), 'utf8')
    const text = readFileSync(join(srcDir, page), 'utf8')
      .replace(/^---\n[\s\S]*?\n---\n/, '')
      .replace(/^<!--@include: (.+)-->$/gm, include)
    const title = /^# (.+)$/m.exec(text)?.[1] ?? page
    return { link: `/${(rewrites.map[page] ?? page).replace(/(?:index)?\.md$/, '')}`, title, text }
  }
  const all = pages.filter((page) => existsSync(join(srcDir, page)) && page !== 'index.md').map(read)
  const isGuide = ({ link }) => !/^\/(reference|design)\//.test(link)
  const list = (those) => those.map(({ link, title }) => `- [${title}](${link})`)
  const lines = [
    '# Latchkey',
    '',
    '> An embedded smart-account wallet (ERC-4337) that its owner can keep: client, server and offline devnet.',
    '',
    '## Guides',
    '',
    ...list(all.filter(isGuide)),
    '',
    '## Reference',
    '',
    ...list(all.filter(({ link }) => link.startsWith('/reference/'))),
  ]
  writeFileSync(join(outDir, 'llms.txt'), `${lines.join('\n')}\n`)
  writeFileSync(
    join(outDir, 'llms-full.txt'),
    all
      .filter(isGuide)
      .map(({ text }) => text.trim())
      .join('\n\n'),
  )
}
