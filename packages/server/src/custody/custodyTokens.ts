import type { Db } from '../platform/database/openStore.ts'
import { returnToken, takeToken } from '../platform/limits/takeToken.ts'

type Token = Omit<takeToken.Parameters, 'table'>

/** Takes a token among custody's own limits: the signer API, which runs next to it, cannot return one. */
export function takeCustodyToken(db: Db, token: Token): Promise<takeToken.ReturnType> {
  return takeToken(db, { ...token, table: 'custody_limits' })
}

/** Returns a token among custody's own limits. */
export function returnCustodyToken(db: Db, token: Token): Promise<void> {
  return returnToken(db, { ...token, table: 'custody_limits' })
}
