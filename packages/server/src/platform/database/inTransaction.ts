import { setTimeout } from 'node:timers/promises'
import { isConflict } from '../errors/databaseErrors.ts'
import type { Db } from './openStore.ts'

const maxTries = 5
const pauseMs = 20

/**
 * Runs `run` in a transaction. After a conflict with another transaction, such as a deadlock, it retries at most five
 * times. Then it throws the database's error, reported as `DATABASE_BUSY`. Inside a transaction, it joins the outer
 * one.
 */
export async function inTransaction<result>(db: Db, run: (db: Db) => Promise<result>): Promise<result> {
  if (db.isTransaction) return run(db)
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction().execute(run)
    } catch (error) {
      if (tries >= maxTries || !isConflict(error)) throw error
      // Random, so that the same two transactions do not collide again.
      await setTimeout(Math.random() * pauseMs * tries)
    }
  }
}
