// Options of VitePress's local search. Functions passed to MiniSearch also run in the browser, so they must be
// self-contained.

/** Pages that rank lower: design, protocol types and the admin API. Readers usually search for how to do something. */
const left = /^(?:design|wire|security)\/|^reference\/latchkey-(?:protocol|wire)/

/**
 * Renders a page for the search index, with its `keywords` after the title. The search finds the page by these words,
 * although its text does not contain them.
 */
function renderForSearch(source, env, md) {
  const html = md.render(source, env)
  const { search, keywords } = env.frontmatter ?? {}
  if (search === false || left.test(env.relativePath)) return ''
  return keywords ? html.replace('</h1>', `</h1>⟦${keywords}⟧`) : html
}

export const search = {
  provider: 'local',
  options: {
    _render: renderForSearch,
    miniSearch: {
      options: {
        fields: ['title', 'titles', 'text', 'keywords'],
        extractField(section, field) {
          const text = section.text ?? ''
          if (field === 'keywords') return /⟦(.*)⟧/.exec(text)?.[1] ?? ''
          return field === 'text' ? text.replace(/⟦.*⟧/, '') : section[field]
        },
        processTerm(term) {
          const word = term.toLowerCase()
          return /^(?:a|an|and|are|do|for|how|i|in|is|it|my|of|on|or|the|to|what|who|with)$/.test(word) ? null : word
        },
      },
      searchOptions: {
        // Short words must match exactly. Otherwise, "helm" would find "held".
        fuzzy: (term) => (term.length > 4 ? 0.2 : false),
        prefix: (term) => term.length > 2,
        boost: { title: 4, text: 1, titles: 1, keywords: 12 },
        boostDocument(id) {
          if (!id.startsWith('/reference/')) return 1
          const [page, anchor = ''] = id.split('#')
          // The page of a function ranks above its sections, and the config's options above those of other functions.
          if (page.toLowerCase().endsWith(`/${anchor}`) || page === '/reference/') return 0.7
          return page.endsWith('/createConfig') ? 0.5 : 0.3
        },
      },
    },
  },
}
