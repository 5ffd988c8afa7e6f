import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { custodyPaths, gatewayMethods, signerApiPaths } from 'latchkey/wire'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { envelopeSchema } from '../../packages/server/src/custody/activities/envelope.ts'
import { queries, submits } from '../../packages/server/src/custody/calls/table.ts'
import { decideSchema, readSchema } from '../../packages/server/src/custody/confirmations/decide.ts'
import { bindingSchema } from '../../packages/server/src/custody/stamps/freshness.ts'
import * as gasAndPaymaster from '../../packages/server/src/gateway/methods/alchemy_requestGasAndPaymasterAndData.ts'
import * as paymaster from '../../packages/server/src/gateway/methods/alchemy_requestPaymasterAndData.ts'
import * as assetChanges from '../../packages/server/src/gateway/methods/alchemy_simulateUserOperationAssetChanges.ts'
import { bundlerMethods, nodeMethods } from '../../packages/server/src/gateway/methods/forwardedMethods.ts'
import * as prepareOperation from '../../packages/server/src/gateway/methods/latchkey_prepareUserOperation.ts'
import * as waitFor from '../../packages/server/src/gateway/methods/latchkey_waitForUserOperation.ts'
import * as paymasterData from '../../packages/server/src/gateway/methods/pm_getPaymasterData.ts'
import { operationSchema as operation06 } from '../../packages/server/src/gateway/paymasters/scheme06.ts'
import { operationSchema as operation07 } from '../../packages/server/src/gateway/paymasters/scheme07.ts'
import * as prepareCalls from '../../packages/server/src/gateway/walletApi/prepareCalls.ts'
import * as account from '../../packages/server/src/gateway/walletApi/requestAccount.ts'
import * as signing from '../../packages/server/src/gateway/walletApi/signing.ts'
import { addressCodePaths, initSchema, verifySchema } from '../../packages/server/src/signerApi/addressCodes.ts'
import { exportSchema, otpSchema } from '../../packages/server/src/signerApi/publishedRoutes.ts'
import { stampedSchema } from '../../packages/server/src/signerApi/stampedRoutes.ts'
import { lookupSchema, signupSchema } from '../../packages/server/src/signerApi/userRoutes.ts'
import { listRules } from './inputRules.ts'

/** docs/security/input.md against the schemas that the servers validate by. `npx vitest run -u` with this file writes its tables again. */
const root = join(import.meta.dirname, '../..')
const path = join(root, 'docs/security/input.md')
const page = readFileSync(path, 'utf8')
const mark = '<!-- From here on written by scripts/test/inputRules.test.ts -->\n'

type Schemas = Readonly<Record<string, z.ZodType>>

const definitions = (calls: Readonly<Record<string, { parameters: z.ZodType }>>): Schemas =>
  Object.fromEntries(Object.entries(calls).map(([name, { parameters }]) => [name, parameters]))

const signerApi: Schemas = {
  [signerApiPaths.lookup]: lookupSchema,
  [`${signerApiPaths.signup}, ${signerApiPaths.auth} (its first form)`]: signupSchema,
  [[
    signerApiPaths.whoami,
    signerApiPaths.signPayload,
    signerApiPaths.updateEmailAuth,
    signerApiPaths.listMultiFactors,
  ].join(', ')]: stampedSchema,
  [signerApiPaths.otp]: otpSchema,
  [signerApiPaths.trackKeyExport]: exportSchema,
  [addressCodePaths.init]: initSchema,
  [addressCodePaths.verify]: verifySchema,
}
const wallet: Schemas = {
  wallet_requestAccount: account.paramsSchema,
  wallet_listAccounts: account.listSchema,
  wallet_prepareCalls: prepareCalls.prepareSchema,
  wallet_sendPreparedCalls: prepareCalls.sendSchema,
  wallet_getCapabilities: prepareCalls.capabilitiesSchema,
  wallet_prepareSign: signing.prepareSchema,
  wallet_formatSign: signing.formatSchema,
}
const paymasters: Schemas = {
  [gatewayMethods.prepareUserOperation]: prepareOperation.requestSchema,
  [gatewayMethods.waitForUserOperation]: waitFor.paramsSchema,
  [`${gatewayMethods.getPaymasterStubData}, ${gatewayMethods.getPaymasterData}`]: paymasterData.paramsSchema,
  [gatewayMethods.requestGasAndPaymasterAndData]: gasAndPaymaster.paramsSchema,
  [gatewayMethods.requestPaymasterAndData]: paymaster.paramsSchema,
  [gatewayMethods.simulateUserOperationAssetChanges]: assetChanges.paramsSchema,
  'an operation that is paid for, EntryPoint 0.6': operation06,
  'an operation that is paid for, EntryPoint 0.7': operation07,
}

const parts: Readonly<Record<string, Schemas>> = {
  'Custody: every request': {
    'submits, around their parameters': envelopeSchema,
    'queries, beside theirs': bindingSchema,
  },
  'Custody: submits, their parameters': definitions(submits),
  'Custody: queries, their parameters': definitions(queries),
  'Custody: the page of confirmations': {
    [custodyPaths.readConfirmation]: readSchema,
    [custodyPaths.decideConfirmation]: decideSchema,
  },
  'Signer API': signerApi,
  'Gateway: to the node, their params': Object.fromEntries(nodeMethods),
  'Gateway: to the bundler, their params': Object.fromEntries(bundlerMethods),
  'Gateway: paymasters and previews, their params': paymasters,
  'Wallet API, their params': wallet,
}

const toCells = (text: string) => text.replaceAll('\n', ' ')

function write(): string {
  const lines = Object.entries(parts).flatMap(([title, schemas]) => [
    `\n## ${title}\n`,
    '| call | place | needed | rule |\n|---|---|---|---|',
    ...Object.entries(schemas).flatMap(([name, schema]) =>
      listRules(schema).map(
        ({ place, isNeeded, rule }, index) =>
          `| ${index === 0 ? `\`${name}\`` : ''} | \`${place}\` | ${isNeeded ? 'yes' : ''} | ${toCells(rule)} |`,
      ),
    ),
  ])
  return `${page.split(mark)[0]}${mark}${lines.join('\n')}\n`
}

test('default: the rules of each call’s input are those that it is validated by', async () => {
  expect(page).toContain(mark)
  await expect(write()).toMatchFileSnapshot(path)
})

test('default: what takes input is in the page', () => {
  const named = Object.values(parts).flatMap((schemas) => Object.keys(schemas))
  const text = named.join(', ')
  for (const name of [...Object.keys(submits), ...Object.keys(queries)]) expect(named, name).toContain(name)
  // These two take no params.
  for (const name of Object.values(gatewayMethods))
    if (!name.endsWith('_maxPriorityFeePerGas')) expect(text).toContain(name)
  // Each schema that a route reads a body by.
  const folder = join(root, 'packages/server/src/signerApi')
  const sources = readdirSync(folder).filter((name) => !name.endsWith('.test.ts') && name.endsWith('.ts'))
  const used = sources.flatMap((name) => [
    ...readFileSync(join(folder, name), 'utf8').matchAll(/read(?:Json|Way)\(context\.req\.raw, (\w+Schema)\)/g),
  ])
  expect(new Set(used.map(([, name]) => name))).toEqual(
    new Set([
      'emailAuthSchema',
      'exportSchema',
      'initSchema',
      'lookupSchema',
      'otpSchema',
      'signupSchema',
      'stampedSchema',
      'verifySchema',
    ]),
  )
})

test('default: each rule of several values together names the test that shows it', () => {
  const rows = [...(page.split(mark)[0] ?? '').matchAll(/^\| ([^|]+) \| ([^|]+) \| `([^`]+)`: ([^|]+) \|$/gm)]
  expect(rows.length).toBeGreaterThan(15)
  const wrong = rows.filter(([, , , file = '', name = '']) => {
    const full = join(root, 'packages/server/src', file)
    return !existsSync(full) || !readFileSync(full, 'utf8').includes(name)
  })
  expect(wrong.map(([line]) => line)).toEqual([])
})
