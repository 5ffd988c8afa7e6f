import type { z } from 'zod'
import {
  type CustodyOptions,
  type FramesOptions,
  type GatewayOptions,
  isStoreRole,
  type MailOptions,
  type Role,
  roles,
  type ServerOptions,
  type SignerApiOptions,
} from '../app/options.ts'
import type { CustodyTask } from '../operations/custodyTasks.ts'
import { toDirectUrl } from '../platform/database/openStore.ts'
import { parseUrl } from '../platform/http/parseUrl.ts'
import { createReader, type Environment, type Reader } from './createReader.ts'
import { type DoctorOptions, readDoctorOptions } from './doctor/doctorOptions.ts'
import { readAdmin } from './readAdmin.ts'
import { readChains } from './readChains.ts'
import { readConsole } from './readConsole.ts'
import { readKeyEncryption } from './readKeyEncryption.ts'
import { readWebhooks } from './readWebhooks.ts'
import { refuseInProduction } from './refuseInProduction.ts'
import { settings } from './settings.ts'

export declare namespace readOperatorsTask {
  type ReturnType = { databaseUrl: string; operatorKey: string }
}

/**
 * Reads the settings of operator tools: the key, and the database URL of the admin API or of the tables' owner. @throws
 * `CONFIG_INVALID`.
 */
export function readOperatorsTask(environment: Environment): readOperatorsTask.ReturnType {
  const reader = createReader(environment)
  const databases = readDatabases(reader, ['admin'])
  const admin = readAdmin(reader)
  const databaseUrl = databases && findDirectUrl(databases, 'admin')
  return reader.settle(databaseUrl !== undefined && admin && { databaseUrl, operatorKey: admin.operatorKey })
}

/** Settings of `start` other than the server's options. */
export type Config = {
  server: ServerOptions
  port: number
  host: string
  allowedHosts: string[]
  logLevel: string
  drainSeconds: number
  /** Port and host of the metrics server; undefined if there is none. */
  metrics: { port: number; host: string } | undefined
  doctor: DoctorOptions
}

/**
 * Reads the configuration from environment variables (see `settings`). A variable with the suffix `_FILE` contains the
 * path of a file with the value, such as a mounted secret. Reports all mistakes at once.
 *
 * @throws `CONFIG_INVALID`.
 */
export function readConfig(environment: Environment): Config {
  const reader = createReader(environment)
  const chosen = readRoles(reader)
  const has = (role: Role) => chosen.includes(role)
  const databases = readDatabases(reader, chosen)
  const common = reader.read(
    settings.pick({
      LATCHKEY_ROOT_ORGANIZATION_ID: true,
      LATCHKEY_PROJECTS_FILE: true,
      LATCHKEY_JWT_ISSUERS_FILE: true,
      LATCHKEY_TRUSTED_PROXIES: true,
      LATCHKEY_MODE: true,
    }),
    (values) => ({
      roles: chosen,
      rootOrganizationId: values.LATCHKEY_ROOT_ORGANIZATION_ID,
      projects: values.LATCHKEY_PROJECTS_FILE,
      jwt: values.LATCHKEY_JWT_ISSUERS_FILE,
      trustedProxies: values.LATCHKEY_TRUSTED_PROXIES,
      exemptLoopback: values.LATCHKEY_MODE === 'development',
    }),
  )
  const isDevelopment = common?.exemptLoopback ?? false
  const urls = readUrls(reader, has('signer-api'))
  const ofRoles = {
    custody: has('custody') ? readCustody(reader) : undefined,
    signerApi: has('signer-api') ? readSignerApi(reader) : undefined,
    mail: has('mail') ? readMail(reader) : undefined,
    gateway: has('gateway') ? readGateway(reader) : undefined,
    webhooks: has('webhooks') ? readWebhooks(reader, common) : undefined,
    frames: has('frames') ? readFrames(reader) : undefined,
    admin: has('admin') ? readAdmin(reader, common) : undefined,
    console: readConsole(reader, chosen),
  }
  const listener = readListener(reader, [
    ...Object.values(urls ?? {}).flatMap((each) => each ?? []),
    ofRoles.console?.url ?? '',
  ])
  if (!isDevelopment) refuseInProduction(reader, { ...common, urls, ...ofRoles })
  const doctor = readDoctorOptions(reader)
  const isRead = databases && common && urls && listener && doctor
  return reader.settle(isRead && { server: { ...databases, ...common, urls, ...ofRoles }, ...listener, doctor })
}

type Databases = Pick<ServerOptions, 'databaseUrl' | 'databaseUrls' | 'databaseDirectHost'>

/** Some roles need no database, and a role with its own URL does not need the common one. */
function readDatabases(reader: Reader, chosen: readonly Role[]): Databases | undefined {
  const own = reader.read(
    settings.pick({
      LATCHKEY_CUSTODY_DATABASE_URL: true,
      LATCHKEY_SIGNER_API_DATABASE_URL: true,
      LATCHKEY_MAIL_DATABASE_URL: true,
      LATCHKEY_GATEWAY_DATABASE_URL: true,
      LATCHKEY_WEBHOOKS_DATABASE_URL: true,
      LATCHKEY_ADMIN_DATABASE_URL: true,
    }),
    (values) => ({
      custody: values.LATCHKEY_CUSTODY_DATABASE_URL,
      'signer-api': values.LATCHKEY_SIGNER_API_DATABASE_URL,
      mail: values.LATCHKEY_MAIL_DATABASE_URL,
      gateway: values.LATCHKEY_GATEWAY_DATABASE_URL,
      webhooks: values.LATCHKEY_WEBHOOKS_DATABASE_URL,
      admin: values.LATCHKEY_ADMIN_DATABASE_URL,
    }),
  )
  if (!own) return undefined
  const databaseUrls = Object.fromEntries(Object.entries(own).filter(([, url]) => url !== undefined))
  const isNeeded = chosen.some((role) => isStoreRole(role) && own[role] === undefined)
  const common = settings.pick({ DATABASE_URL: true, LATCHKEY_DATABASE_DIRECT_HOST: true })
  return reader.read(isNeeded ? common : common.partial(), (values) => ({
    ...(values.DATABASE_URL !== undefined && { databaseUrl: values.DATABASE_URL }),
    ...(values.LATCHKEY_DATABASE_DIRECT_HOST !== undefined && {
      databaseDirectHost: values.LATCHKEY_DATABASE_DIRECT_HOST,
    }),
    ...(Object.keys(databaseUrls).length > 0 && { databaseUrls }),
  }))
}

/** Commands need database sessions, so they bypass a pooler. */
function findDirectUrl(databases: Databases, role: 'admin' | 'custody' | 'webhooks'): string | undefined {
  const url = databases.databaseUrls?.[role] ?? databases.databaseUrl
  return url === undefined ? undefined : toDirect(url, databases.databaseDirectHost)
}

function toDirect(url: string, directHost: string | undefined): string {
  return directHost === undefined ? url : toDirectUrl(url, directHost)
}

/**
 * Reads the settings of custody's tools, for commands that run alongside a server.
 *
 * @throws `CONFIG_INVALID`.
 */
export function readCustodyTask(environment: Environment): CustodyTask {
  const reader = createReader(environment)
  const databases = readDatabases(reader, ['custody'])
  const custody = readKeyEncryption(reader)
  const url = databases && findDirectUrl(databases, 'custody')
  return reader.settle(url !== undefined && custody && { databaseUrl: url, custody })
}

/**
 * Returns the URL of the webhook role's database, or the tables' owner's URL.
 * @throws `CONFIG_INVALID`.
 */
export function readWebhooksDatabase(environment: Environment): string {
  const reader = createReader(environment)
  const databases = readDatabases(reader, ['webhooks'])
  return reader.settle(databases && findDirectUrl(databases, 'webhooks'))
}

/**
 * Returns the database URL, for commands that need nothing else.
 *
 * @throws `CONFIG_INVALID`.
 */
export function readDatabaseUrl(environment: Environment): string {
  const reader = createReader(environment)
  const common = settings.pick({ DATABASE_URL: true, LATCHKEY_DATABASE_DIRECT_HOST: true })
  const url = reader.read(common, (values) => toDirect(values.DATABASE_URL, values.LATCHKEY_DATABASE_DIRECT_HOST))
  return reader.settle(url)
}

/**
 * Returns the bundle signing key, for a command that shows its public half; undefined if not configured.
 * @throws `CONFIG_INVALID`.
 */
export function readBundleSigner(environment: Environment): string | undefined {
  const reader = createReader(environment)
  const setting = settings.pick({ LATCHKEY_BUNDLE_SIGNING_PUBLIC_KEY: true }).partial()
  return reader.settle(reader.read(setting, (values) => ({ key: values.LATCHKEY_BUNDLE_SIGNING_PUBLIC_KEY }))).key
}

function readRoles(reader: Reader): Role[] {
  const names = reader.read(settings.pick({ LATCHKEY_ROLES: true }), (values) => values.LATCHKEY_ROLES) ?? []
  const unknown = names.filter((name) => !roles.some((role) => role === name))
  if (unknown.length > 0) reader.report(`LATCHKEY_ROLES: unknown ${unknown.join(', ')}; there are ${roles.join(', ')}`)
  return roles.filter((role) => names.includes(role))
}

/** Only the signer API sends these URLs to browsers. */
function readUrls(reader: Reader, isRequired: boolean): ServerOptions['urls'] | undefined {
  const all = settings.pick({
    LATCHKEY_CUSTODY_URL: true,
    LATCHKEY_AUTH_FRAME_URL: true,
    LATCHKEY_EXPORT_FRAME_URL: true,
    LATCHKEY_IMPORT_FRAME_URL: true,
    LATCHKEY_GATEWAY_URL: true,
  })
  const some = all.partial()
  const toUrls = (values: z.output<typeof some>) => ({
    custody: values.LATCHKEY_CUSTODY_URL ?? '',
    authFrame: values.LATCHKEY_AUTH_FRAME_URL ?? '',
    exportFrame: values.LATCHKEY_EXPORT_FRAME_URL ?? '',
    importFrame: values.LATCHKEY_IMPORT_FRAME_URL ?? '',
    ...(values.LATCHKEY_GATEWAY_URL && { gateway: values.LATCHKEY_GATEWAY_URL }),
  })
  return isRequired ? reader.read(all, toUrls) : reader.read(some, toUrls)
}

function readCustody(reader: Reader): CustodyOptions | undefined {
  const keyEncryption = readKeyEncryption(reader)
  return reader.read(
    settings.pick({
      LATCHKEY_ROOT_API_PUBLIC_KEY: true,
      LATCHKEY_MAIL_SEAL_KEY: true,
      LATCHKEY_BUNDLE_SIGNING_KEY: true,
      LATCHKEY_STEP_UP: true,
      LATCHKEY_DELETION_GRACE_DAYS: true,
    }),
    (values) =>
      keyEncryption && {
        ...keyEncryption,
        rootApiPublicKey: values.LATCHKEY_ROOT_API_PUBLIC_KEY,
        mailSealKey: values.LATCHKEY_MAIL_SEAL_KEY,
        bundleSigningKey: values.LATCHKEY_BUNDLE_SIGNING_KEY,
        stepUp: values.LATCHKEY_STEP_UP,
        deletionGraceMs: values.LATCHKEY_DELETION_GRACE_DAYS * 86_400_000,
      },
  )
}

function readSignerApi(reader: Reader): SignerApiOptions | undefined {
  return reader.read(
    settings.pick({
      LATCHKEY_CUSTODY_URL: true,
      LATCHKEY_CUSTODY_INTERNAL_URL: true,
      LATCHKEY_CUSTODY_TLS: true,
      LATCHKEY_ROOT_API_PUBLIC_KEY: true,
      LATCHKEY_ROOT_API_PRIVATE_KEY: true,
      LATCHKEY_ACCESS_TOKEN_KEY: true,
    }),
    (values) => ({
      custodyUrl: values.LATCHKEY_CUSTODY_INTERNAL_URL ?? values.LATCHKEY_CUSTODY_URL,
      custodyTls: values.LATCHKEY_CUSTODY_TLS,
      apiKey: {
        publicKey: values.LATCHKEY_ROOT_API_PUBLIC_KEY,
        privateKey: values.LATCHKEY_ROOT_API_PRIVATE_KEY,
      },
      accessTokenKey: values.LATCHKEY_ACCESS_TOKEN_KEY,
    }),
  )
}

function readMail(reader: Reader): MailOptions | undefined {
  return reader.read(
    settings.pick({ LATCHKEY_SMTP_URL: true, LATCHKEY_MAIL_FROM: true, LATCHKEY_MAIL_SEAL_KEY: true }),
    (values) => ({
      smtpUrl: values.LATCHKEY_SMTP_URL,
      from: values.LATCHKEY_MAIL_FROM,
      sealKey: values.LATCHKEY_MAIL_SEAL_KEY,
    }),
  )
}

function readGateway(reader: Reader): GatewayOptions | undefined {
  const chains = readChains(reader)
  const paymasterKey = readPaymasterKey(reader)
  const own = settings.pick({
    LATCHKEY_POLICIES_FILE: true,
    LATCHKEY_WEBHOOK_KEY: true,
    LATCHKEY_EVENT_DAYS: true,
    LATCHKEY_OPERATION_DAYS: true,
    LATCHKEY_MODE: true,
  })
  return reader.read(own, (values) =>
    chains === undefined || paymasterKey === undefined
      ? undefined
      : {
          chains,
          paymasterKey,
          mode: values.LATCHKEY_MODE,
          policies: values.LATCHKEY_POLICIES_FILE,
          webhookKey: values.LATCHKEY_WEBHOOK_KEY,
          retention: { eventDays: values.LATCHKEY_EVENT_DAYS, operationDays: values.LATCHKEY_OPERATION_DAYS },
        },
  )
}

function readPaymasterKey(reader: Reader): GatewayOptions['paymasterKey'] | undefined {
  const wrapped = reader.read(
    settings.pick({ LATCHKEY_PAYMASTER_WRAPPED_KEY: true }),
    (values) => values.LATCHKEY_PAYMASTER_WRAPPED_KEY,
  )
  if (wrapped === undefined)
    return reader.read(settings.pick({ LATCHKEY_PAYMASTER_KEY: true }).required(), (values) => ({
      type: 'secret',
      key: values.LATCHKEY_PAYMASTER_KEY,
    }))
  const providers = readKeyEncryption(reader)
  return providers && { type: 'wrapped', key: wrapped, ...providers }
}

export declare namespace readPaymasterKeyTask {
  type ReturnType = { key: string; custody: CustodyTask['custody'] }
}

/**
 * Reads a paymaster key from the environment, and its key encryption.
 *
 * @throws `CONFIG_INVALID`.
 */
export function readPaymasterKeyTask(environment: Environment): readPaymasterKeyTask.ReturnType {
  const reader = createReader(environment)
  const custody = readKeyEncryption(reader)
  const key = reader.read(
    settings.pick({ LATCHKEY_PAYMASTER_KEY: true }).required(),
    (values) => values.LATCHKEY_PAYMASTER_KEY,
  )
  return reader.settle(key !== undefined && custody && { key, custody })
}

function readFrames(reader: Reader): FramesOptions | undefined {
  const page = reader.read(settings.pick({ LATCHKEY_FRAMES_PAGE: true }), (values) => values.LATCHKEY_FRAMES_PAGE)
  if (page === undefined) return undefined
  const setting = settings.pick({ LATCHKEY_BUNDLE_SIGNING_PUBLIC_KEY: true })
  // Optional for the auth page, since a server that also runs custody has the key. The frames role reports a missing
  // key.
  return reader.read(page === 'auth' ? setting.partial() : setting, (values) => ({
    page,
    ...(values.LATCHKEY_BUNDLE_SIGNING_PUBLIC_KEY !== undefined && {
      bundleSigningPublicKey: values.LATCHKEY_BUNDLE_SIGNING_PUBLIC_KEY,
    }),
  }))
}

function readListener(reader: Reader, urls: readonly string[]): Omit<Config, 'server' | 'doctor'> | undefined {
  const own = urls.map((url) => parseUrl(url)?.hostname ?? '')
  return reader.read(
    settings.pick({
      LATCHKEY_PORT: true,
      LATCHKEY_HOST: true,
      LATCHKEY_ALLOWED_HOSTS: true,
      LATCHKEY_LOG_LEVEL: true,
      LATCHKEY_DRAIN_SECONDS: true,
      LATCHKEY_METRICS_PORT: true,
      LATCHKEY_METRICS_HOST: true,
    }),
    (values) => ({
      port: values.LATCHKEY_PORT,
      host: values.LATCHKEY_HOST,
      allowedHosts: [...new Set([...values.LATCHKEY_ALLOWED_HOSTS, ...own])].filter((name) => name !== ''),
      logLevel: values.LATCHKEY_LOG_LEVEL,
      drainSeconds: values.LATCHKEY_DRAIN_SECONDS,
      metrics:
        values.LATCHKEY_METRICS_PORT === undefined
          ? undefined
          : { port: values.LATCHKEY_METRICS_PORT, host: values.LATCHKEY_METRICS_HOST },
    }),
  )
}
