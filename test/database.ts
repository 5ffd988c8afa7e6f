import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeData } from '../packages/dev/src/database/dataLocation.ts'
import { startDatabase } from '../packages/dev/src/database/startDatabase.ts'
import { freePorts } from '../packages/dev/src/freePorts.ts'

/** A fresh PostgreSQL of its own for one test file, on a free port in a folder that `close` removes. */
export async function startTestDatabase(): Promise<{ url: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-test-database-'))
  // Under root the database runs as another user, who must be able to pass.
  await chmod(folder, 0o711)
  async function forget(): Promise<void> {
    removeData(folder)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const database = await start(folder)
    return {
      url: database.url,
      async close() {
        await database.close()
        await forget()
      },
    }
  } catch (error) {
    await forget()
    throw error
  }
}

/** A port found free may be taken before it is used: three attempts. */
async function start(dataDir: string): Promise<startDatabase.ReturnType> {
  const password = randomBytes(12).toString('hex')
  for (let attempt = 1; ; attempt++) {
    try {
      return await startDatabase({ dataDir, port: await freePorts(1), password })
    } catch (error) {
      if (attempt === 3) throw error
    }
  }
}
