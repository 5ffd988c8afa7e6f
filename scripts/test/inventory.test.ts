import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultAdminLimits } from '../../packages/server/src/admin/limits.ts'
import { roles } from '../../packages/server/src/app/options.ts'
import * as custody from '../../packages/server/src/custody/limits.ts'
import { defaultLimits as gatewayLimits } from '../../packages/server/src/gateway/limits.ts'
import type { Limit } from '../../packages/server/src/http/rateLimit.ts'
import { defaultLimits as signerLimits } from '../../packages/server/src/signerApi/limits.ts'
import { operatorSessionMs } from '../../packages/server/src/store/operatorSessions.ts'

/** docs/security/inventory.md against the code. */
const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const page = read('docs/security/inventory.md')
const section = (title: string) => page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? ''

/** Cells of the rows that begin with a name of code. */
const rowsOf = (title: string): string[][] =>
  section(title)
    .split('\n')
    .filter((line) => /^\| `[\w.-]+` \|/.test(line))
    .map((line) => line.slice(2, -2).split(' | '))
const namesOf = (title: string) => rowsOf(title).map(([name = '']) => name.replaceAll('`', ''))

const source = (path: string) => read(`packages/server/src/${path}`)
/** Quoted names between two places of a file. */
const quoted = (text: string, from: string, to: string) =>
  [...(text.split(from)[1]?.split(to)[0] ?? '').matchAll(/'([\w.]+)'/g)].map(([, name = '']) => name)

const minutes = (ms: number) =>
  ms % 86_400_000 === 0
    ? 'a day'
    : ms % 3_600_000 === 0
      ? 'an hour'
      : ms === 60_000
        ? 'a minute'
        : `${ms / 60_000} minutes`
const say = ({ limit, windowMs }: Limit) => `${limit.toLocaleString('en')} in ${minutes(windowMs)}`
const isLimit = (value: unknown): value is Limit => typeof value === 'object' && value !== null && 'windowMs' in value

test('default: every way that begins a session, and every kind of credential of a person', () => {
  const ways = section('Ways in')
  const events = source('http/securityEvents.ts')
  const sessions = [...events.matchAll(/(ACTIVITY_TYPE_\w+): 'session_started'/g)].map(([, name = '']) => name)
  expect(sessions.length).toBeGreaterThan(3)
  for (const name of [...sessions, 'ACTIVITY_TYPE_EMAIL_AUTH']) expect(ways).toContain(`\`${name}\``)
  expect(ways).toContain(`${custody.maxCodeAttempts} attempts, ${minutes(custody.codeMs)}`)
})

test('default: lives of sessions, and how many at a time', () => {
  const { usual, min, max } = custody.sessionSeconds
  const lives = section('Sessions')
  for (const text of [
    `after ${minutes(usual * 1000)}, unless the app asks for ${min / 60} minute to ${max / 3600} hours`,
    `${custody.maxExpiringKeys} of a user`,
    `after ${minutes(custody.readOnlySessionMs)}, and with the session`,
    `after ${minutes(operatorSessionMs.idle)} | after ${operatorSessionMs.most / 3_600_000} hours`,
  ])
    expect(lives).toContain(text)
})

test('default: every limit with its figure', () => {
  const counted = quoted(source('http/limitNames.ts'), 'const limitNames = [', ']')
  expect(namesOf('Limits').sort()).toEqual(counted.sort())
  const tables = { admin: defaultAdminLimits, custody, gateway: gatewayLimits, signer: signerLimits }
  const figures = Object.entries(tables).flatMap(([role, limits]) =>
    Object.entries(limits).flatMap(([name, value]) =>
      isLimit(value) ? [[`${role}.${name}`, say(value)] as const] : [],
    ),
  )
  expect(figures.length).toBeGreaterThan(25)
  const stated = new Map(rowsOf('Limits').map(([name = '', much = '']) => [name.replaceAll('`', ''), much]))
  expect(figures.filter(([name, text]) => stated.get(name) !== text)).toEqual([])
  expect(stated.get('custody.mailsPerConfirmation')).toMatch(new RegExp(`^${custody.mailsPerConfirmation} `))
})

test('default: every table, its class and how long its rows are kept', () => {
  const tables = [
    ...(source('store/tables.ts').split('export type Tables = {')[1]?.split('\n}')[0] ?? '').matchAll(/^ {2}(\w+):/gm),
  ]
  expect(namesOf('Data').sort()).toEqual(tables.map(([, name = '']) => name).sort())
  const classes = [...section('Data').matchAll(/^\| (\w+) \| [^|]+ \|$/gm)].map(([, name = '']) => name)
  const foreign = rowsOf('Data').filter(([, of = '']) => of.split(', ').some((name) => !classes.includes(name)))
  expect(foreign).toEqual([])
})

test('default: every role, and every security event', () => {
  expect(namesOf('Connections')).toEqual([...roles])
  const events = source('http/securityEvents.ts')
  const names = [
    ...[...events.matchAll(/: '([a-z]+(?:_[a-z]+)*)',?$/gm)].map(([, name = '']) => name),
    ...quoted(events, 'export type DoneEvent =', 'type SecurityEvent'),
  ]
  expect(new Set(names).size).toBeGreaterThan(15)
  const stated = [...(section('Logs').split('by name:')[1]?.split('. Lines')[0] ?? '').matchAll(/`(\w+)`/g)]
  expect(stated.map(([, name = '']) => name).sort()).toEqual([...new Set(names)].sort())
})

test('default: primitives of cryptography come from the libraries that are named, and are those that are named', () => {
  const files = ['server', 'frames', 'latchkey'].flatMap((name) =>
    readdirSync(join(root, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path) && !/\.test(?:-d)?\.tsx?$/.test(path))
      .map((path) => join('packages', name, 'src', path)),
  )
  expect(files.length).toBeGreaterThan(300)
  const text = files.map(read).join('\n')
  const crypto = section('Cryptography')
  const libraries = [...text.matchAll(/from '((?:node:)?crypto|@noble\/[\w-]+|@scure\/[\w-]+|@hpke\/[\w-]+|jose)\b/g)]
  const used = new Set(libraries.map(([, name = '']) => name))
  expect([...used].filter((name) => !crypto.includes(`\`${name}\``))).toEqual([])
  // All else that does cryptography would be a package of one of the three.
  const packages = ['server', 'frames', 'latchkey'].flatMap((name) => {
    const { dependencies = {} } = JSON.parse(read(`packages/${name}/package.json`))
    return Object.keys(dependencies)
  })
  expect(
    packages.filter((name) => /noble|scure|hpke|jose|crypto|hash|cipher|sodium/.test(name) && !used.has(name)),
  ).toEqual([])
  const digests = text.matchAll(
    /(?:createHash|createHmac|hkdfSync|\bsign)\('([^']+)'|(?:pbkdf2|pbkdf2Async)\([^)]*'(sha\d+)'/g,
  )
  expect(new Set([...digests].map(([, one, other]) => one ?? other))).toEqual(new Set(['sha256', 'sha512']))
  const ciphers = [...text.matchAll(/create(?:Dec|C)ipheriv\('([^']+)'/g)].map(([, name]) => name)
  expect(new Set(ciphers)).toEqual(new Set(['aes-256-gcm']))
})
