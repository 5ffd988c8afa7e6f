import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { doctor, type Finding } from '../../server/src/cli/doctor/doctor.ts'
import { readConfig } from '../../server/src/cli/readConfig.ts'
import { createApiKeyPair } from '../../server/src/keys/createApiKeyPair.ts'
import { openStore, type Store } from '../../server/src/platform/database/openStore.ts'
import { makeCertificate } from './certificate.ts'
import { startTestDatabase } from './database.ts'
import { type DnsRecords, startTestDns } from './dns.ts'
import { doctorEnvironment, doctorRecords } from './doctorEnvironment.ts'
import { startTestSmtp } from './smtp.ts'
import { startTestShop, type TestShop } from './startTestShop.ts'
import { startTestVault } from './vault.ts'

/** Differences from a healthy setup. `authorities` are trusted certificates. */
export type Change = { env?: Record<string, string | undefined>; project?: object; authorities?: string[] }

export type DoctorDevnet = Awaited<ReturnType<typeof startDoctorDevnet>>

/** Starts a healthy server on public hosts, with database, mail server, DNS server, key service and node. */
export async function startDoctorDevnet() {
  const signingKey = createApiKeyPair().privateKey
  const rootKey = createApiKeyPair()
  const certificate = makeCertificate({ hosts: ['*.shop.test', 'shop.test', 'shop.example', 'auth.shop.example'] })
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-doctor-'))
  const database = await startTestDatabase({ migrated: true })
  const smtp = await startTestSmtp()
  const vault = await startTestVault()
  const dns = await startTestDns(doctorRecords)
  const shop = await startTestShop(certificate, signingKey)

  function environment(more: Record<string, string | undefined> = {}): Record<string, string> {
    const projects = join(folder, 'projects.json')
    writeFileSync(projects, JSON.stringify([shop.project()]))
    const parts = { databaseUrl: database.url, projects, at: shop.at, vault, rpcUrl: shop.rpcUrl, signingKey, rootKey }
    const own = { LATCHKEY_SMTP_URL: smtp.url, LATCHKEY_DNS_SERVERS: dns.server, LATCHKEY_DKIM_SELECTORS: 'one' }
    const all = Object.entries({ ...doctorEnvironment(parts), ...own, ...more })
    return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined))
  }

  async function diagnose({ env, project, authorities = [certificate.cert] }: Change = {}): Promise<Finding[]> {
    const given = environment(env)
    if (project) writeFileSync(given.LATCHKEY_PROJECTS_FILE ?? '', JSON.stringify([{ ...shop.project(), ...project }]))
    const config = readConfig(given)
    return doctor({ ...config, doctor: { ...config.doctor, authorities } })
  }

  return {
    database,
    dns,
    shop: shop as TestShop,
    certificate,
    signingKey,
    diagnose,
    /** Returns all failures except latency, which other tests affect. */
    async findFailures(change: Change = {}) {
      return (await diagnose(change)).filter(({ state, name }) => state === 'fail' && !name.startsWith('latency'))
    },
    async asOwner(use: (owner: Store) => Promise<void>) {
      const owner = await openStore({ databaseUrl: database.url, maxConnections: 1 })
      try {
        await use(owner)
      } finally {
        await owner.close()
      }
    },
    /** Changes the DNS records of a name while `run` runs. Undefined removes the name. */
    async withRecords(name: string, change: Partial<DnsRecords> | undefined, run: () => Promise<void>) {
      const before = dns.records.get(name)
      if (change) dns.records.set(name, { ...before, ...change })
      else dns.records.delete(name)
      try {
        await run()
      } finally {
        if (before) dns.records.set(name, before)
        else dns.records.delete(name)
      }
    },
    async close() {
      shop.close()
      await dns.close()
      await vault.close()
      await smtp.close()
      await database.close()
      rmSync(folder, { recursive: true })
    },
  }
}
