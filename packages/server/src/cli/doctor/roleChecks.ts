import { listSharedNeeds } from '../../app/listSharedNeeds.ts'
import { configInvalid } from '../../platform/errors/ServerError.ts'
import { type Check, type Subject, skip } from './checks.ts'

/** Checks the console's admin API, and lists roles that have no other check. */
export function roleChecks({ server }: Subject): Check[] {
  const { roles, webhooks, signerApi, projects = [] } = server
  const endpoints = projects.reduce((sum, project) => sum + (project.webhooks?.length ?? 0), 0)
  return [
    ...listSharedNeeds({ ...server, roles: roles.filter((role) => role === 'console') }).map(({ need, check }) => ({
      name: need,
      run: async () => {
        await check().catch((cause: unknown) => {
          throw configInvalid('does not respond: check LATCHKEY_ADMIN_URL, and that the role admin runs there', cause)
        })
        return 'responds'
      },
    })),
    ...(webhooks ? [skip('webhooks', `no webhook is sent to test the ${endpoints} endpoint(s)`)] : []),
    ...(roles.includes('frames') && !signerApi
      ? [skip('frames', 'run doctor with the settings of the signer API, which knows the public URLs of the frames')]
      : []),
  ]
}
