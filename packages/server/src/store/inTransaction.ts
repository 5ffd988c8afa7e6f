import { setTimeout } from 'node:timers/promises'
import { isConflict } from '../http/databaseErrors.ts'
import type { Db } from './openStore.ts'

const maxTries = 5
const pauseMs = 20

/**
 * Does `run` in a transaction: all or nothing. What gave way to another transaction (deadlock, serialization failure) is
 * done again, at most five times; then the database's error is thrown, which callers are told as `DATABASE_BUSY`.
 */
export async function inTransaction<result>(db: Db, run: (db: Db) => Promise<result>): Promise<result> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction().execute(run)
    } catch (error) {
      if (tries >= maxTries || !isConflict(error)) throw error
      // Two that met must not meet again.
      await setTimeout(Math.random() * pauseMs * tries)
    }
  }
}
