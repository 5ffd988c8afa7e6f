import type { AdminOptions, ServerOptions } from '../app/options.ts'
import { checkProjectChange } from './checkProjectChange.ts'
import type { Reader } from './createReader.ts'
import { settings } from './settings.ts'

type Common = Pick<ServerOptions, 'exemptLoopback' | 'projects' | 'rootOrganizationId'>

/** `common`: the server's settings. Without them, changes of projects are not tested. */
export function readAdmin(reader: Reader, common?: Common): AdminOptions | undefined {
  const optional = settings
    .pick({ LATCHKEY_CUSTODY_INTERNAL_URL: true, LATCHKEY_CUSTODY_URL: true, LATCHKEY_CHAINS_FILE: true })
    .partial()
  return reader.read(settings.pick({ LATCHKEY_OPERATOR_KEY: true }).extend(optional.shape), (values) => ({
    operatorKey: values.LATCHKEY_OPERATOR_KEY,
    chains: values.LATCHKEY_CHAINS_FILE,
    custodyUrl: values.LATCHKEY_CUSTODY_INTERNAL_URL ?? values.LATCHKEY_CUSTODY_URL,
    tryProject: common && createTry(common),
  }))
}

function createTry({ projects, exemptLoopback, rootOrganizationId }: Common): AdminOptions['tryProject'] {
  if (!projects) return undefined
  const rules = { mode: exemptLoopback ? 'development' : 'production', rootOrganizationId } as const
  const entries = projects.map((project) => ({
    ...project,
    redirectParams: project.redirectParams && [...project.redirectParams],
    webhooks: project.webhooks?.map((endpoint) => ({ ...endpoint, events: [...endpoint.events] })),
  }))
  return (change) => checkProjectChange(entries, change, rules)
}
