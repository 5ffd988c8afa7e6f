import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { writeLlms } from '../tools/writeLlms.mjs'
import { search } from './search.mjs'

// Sidebar of the reference, which `npm run docs` generates together with its pages.
const reference = JSON.parse(readFileSync(new URL('../reference/sidebar.json', import.meta.url), 'utf8'))

const guides = [
  {
    text: 'Begin',
    items: [
      { text: 'Ten minutes', link: '/tutorial' },
      { text: 'Live examples', link: '/live' },
    ],
  },
  {
    text: 'Guides',
    items: [
      { text: 'Vite', link: '/guides/vite' },
      { text: 'Next.js and server rendering', link: '/guides/server-rendering' },
      { text: 'Plain TypeScript, Vue, Svelte', link: '/guides/plain' },
      { text: 'wagmi', link: '/guides/wagmi' },
      { text: 'The sign-in dialog', link: '/guides/dialog' },
      { text: 'Your own sign-in form', link: '/guides/sign-in-form' },
      { text: 'Passkeys', link: '/guides/passkeys' },
      { text: 'Social sign-in', link: '/guides/social-sign-in' },
      { text: 'Second factor', link: '/guides/second-factor' },
      { text: 'Sessions', link: '/guides/sessions' },
      { text: 'Operations and the outbox', link: '/guides/operations' },
      { text: 'Balances and tokens', link: '/guides/tokens' },
      { text: 'Sponsorship', link: '/guides/sponsorship' },
      { text: 'EIP-7702', link: '/guides/eip-7702' },
      { text: 'Keep your account', link: '/guides/owners' },
      { text: 'Session keys', link: '/guides/session-keys' },
      { text: 'Several chains', link: '/guides/chains' },
      { text: 'Know the user on your server', link: '/guides/backend' },
      { text: 'Let a program act for the user', link: '/guides/agents' },
      { text: 'Policies and allow-lists', link: '/guides/csp' },
      { text: 'Browsers', link: '/guides/browsers' },
      { text: 'Testing', link: '/guides/testing' },
      { text: 'Production checklist', link: '/guides/production' },
      { text: 'Troubleshooting', link: '/guides/troubleshooting' },
      { text: 'Questions and answers', link: '/guides/faq' },
      { text: 'From Account Kit', link: '/guides/from-account-kit' },
      { text: 'Leaving', link: '/guides/leaving' },
    ],
  },
  {
    text: 'Operate',
    items: [
      { text: 'Overview', link: '/operate/' },
      { text: 'Install', link: '/operate/install' },
      { text: 'Environment variables', link: '/reference/settings' },
      { text: 'Projects', link: '/operate/projects' },
      { text: 'Signing rules', link: '/operate/signing-rules' },
      { text: 'Keys', link: '/operate/keys' },
      { text: 'Database', link: '/operate/database' },
      { text: 'Mail', link: '/operate/mail' },
      { text: 'Proxy', link: '/operate/proxy' },
      { text: 'Inside your own server', link: '/operate/embed' },
      { text: 'Chains and paymasters', link: '/operate/gateway' },
      { text: 'Sponsorship without losing money', link: '/operate/sponsorship-costs' },
      { text: 'Monitor', link: '/operate/monitor' },
      { text: 'Operators', link: '/operate/operators' },
      { text: 'Users’ data', link: '/operate/users' },
      { text: 'Webhooks', link: '/operate/webhooks' },
      { text: 'Backup and restore', link: '/operate/backup' },
      { text: 'Upgrade', link: '/operate/upgrades' },
      { text: 'Incidents', link: '/operate/incidents' },
      { text: 'Faults', link: '/operate/faults' },
      { text: 'Sizing', link: '/operate/sizing' },
      { text: 'Scaling', link: '/operate/scaling' },
      { text: 'Move a project', link: '/operate/moving' },
    ],
  },
  {
    text: 'Security',
    items: [
      { text: 'Threat model', link: '/security/threat-model' },
      { text: 'Inventory', link: '/security/inventory' },
      { text: 'Rules of input', link: '/security/input' },
      { text: 'Updates of components', link: '/security/updates' },
      { text: 'OWASP ASVS', link: '/security/asvs' },
    ],
  },
  {
    text: 'Wires',
    items: [
      { text: 'Custody', link: '/wire/custody' },
      { text: 'Signer API', link: '/wire/signer' },
      { text: 'Wallet API', link: '/wire/wallet' },
      { text: 'Admin API', link: '/wire/admin' },
    ],
  },
  {
    text: 'Parts',
    items: [
      { text: 'Accounts', link: '/accounts' },
      { text: 'Signer', link: '/signer' },
      { text: 'Names of latchkey/compat', link: '/compat' },
      { text: 'Errors', link: '/errors' },
      { text: 'Supported versions', link: '/versions' },
      { text: 'Architecture', link: '/architecture' },
      { text: 'Design', link: '/design/' },
    ],
  },
]

/** Caches highlighted code, because each page is rendered twice: for itself and for the search. */
function rememberColours(md) {
  const { highlight } = md.options
  const known = new Map()
  md.options.highlight = (...given) => {
    const key = JSON.stringify(given)
    if (!known.has(key)) known.set(key, highlight(...given))
    return known.get(key)
  }
}

export default defineConfig({
  title: 'Latchkey',
  description: 'An embedded smart-account wallet that its owner can keep.',
  head: [['link', { rel: 'icon', href: '/mark.svg' }]],
  cleanUrls: true,
  // Stores the hashes of all pages in one file, instead of a copy in each page.
  metaChunk: true,
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: rememberColours,
  },
  srcExclude: ['tools/**', 'live/**', 'node_modules/**'],
  // Links to localhost lead to the reader's own devnet.
  ignoreDeadLinks: 'localhostLinks',
  rewrites: { 'design/README.md': 'design/index.md', 'operate/README.md': 'operate/index.md' },
  themeConfig: {
    logo: { src: '/mark.svg', alt: '' },
    nav: [
      { text: 'Guides', link: '/tutorial', activeMatch: '^/(tutorial|live|guides)' },
      { text: 'Reference', link: '/reference/', activeMatch: '^/reference' },
      { text: 'Errors', link: '/errors' },
    ],
    sidebar: { ...reference, '/': guides },
    outline: [2, 3],
    search,
  },
  vite: {
    // The packages are linked, so their dependencies must be resolved from the repository.
    resolve: { dedupe: ['react', 'react-dom', '@tanstack/react-query', 'viem'] },
    esbuild: { jsx: 'automatic' },
    build: {
      chunkSizeWarningLimit: 1500,
      rollupOptions: {
        onwarn: (warning, warn) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || warn(warning),
      },
    },
  },
  buildEnd: writeLlms,
})
