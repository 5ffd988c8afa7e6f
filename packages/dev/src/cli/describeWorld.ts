import type { World } from '../world.ts'

/** The table a person reads when the world is ready. */
export function describeWorld(world: World, options: { example: boolean }): string {
  const rows: [string, string][] = [
    ['Inbox', world.urls.inbox],
    ['Signer API', world.urls.signerApi],
    ['Gateway', `${world.urls.gateway}/${world.apiKey}`],
    ['Custody API', world.urls.custody],
    ['Auth frame', world.urls.authFrame],
    ['Export frame', world.urls.exportFrame],
    ['Import frame', world.urls.importFrame],
    ['Chain node', `${world.urls.node}  (chain id ${world.chainId})`],
    ['Bundler', world.urls.bundler],
    ['Mail server', `smtp://localhost:${world.smtpPort}`],
    ['API key', world.apiKey],
    ['Gas policy', world.policyId],
  ]
  if (options.example) rows.unshift(['Example wallet', world.urls.wallet])
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n')
}

/** The same for programs: one line of JSON. */
export function worldJson(world: World, readyMs: number): string {
  const { urls, smtpPort, apiKey, policyId, rootOrganizationId, addresses, chainId } = world
  return JSON.stringify({ urls, smtpPort, apiKey, policyId, rootOrganizationId, addresses, chainId, readyMs })
}
