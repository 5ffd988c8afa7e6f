import { authModalSteps } from '@latchkey/testkit/react/authModalSteps'
import { setAuthModal } from '@latchkey/testkit/react/setAuthModal'
import { expect, test } from 'vitest'

const stage = setAuthModal()

/** Ways in which translators and extensions change text nodes. */
type Kind = 'wraps' | 'replaces'

// If a step reuses the previous step's elements, React updates the nodes that it created.
test.each<Kind>(['wraps', 'replaces'])(
  'keeps page and dialog at every step where a translator %s texts',
  async (kind) => {
    const errors: string[] = []
    stage.page.on('pageerror', ({ message }) => errors.push(message))
    await stage.atStep('initial', async (page) => {
      const lost = await page.evaluate(
        async ({ steps, kind }) => {
          const { show, become } = window as unknown as Record<'show' | 'become', (step: string) => Promise<void>>
          const translate = () => {
            const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
            const nodes: Node[] = []
            while (walker.nextNode())
              if (walker.currentNode.parentElement?.localName !== 'script') nodes.push(walker.currentNode)
            for (const node of nodes) {
              const font = document.createElement('font')
              node.parentNode?.replaceChild(font, node)
              font.append(kind === 'wraps' ? node : node.cloneNode())
            }
          }
          const found: string[] = []
          for (const [index, [from, ownTitle]] of steps.entries()) {
            // Steps with the same title share their elements.
            const next = steps.filter(([, title], other) => title === ownTitle || other === index + 1)
            for (const [to, title] of next) {
              await show(from)
              translate()
              // A page that does not respond has crashed.
              await Promise.race([become(to), new Promise((resolve) => setTimeout(resolve, 2_000))])
              const heading = document.querySelector('.lk-card h2')?.textContent
              if (document.querySelector('h1') === null || heading !== title) found.push(`${from} to ${to}: ${heading}`)
            }
          }
          return found
        },
        { steps: authModalSteps, kind },
      )
      expect(lost).toEqual([])
    })
    expect(errors).toEqual([])
  },
)
