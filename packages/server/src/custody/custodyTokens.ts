import type { Db } from '../platform/database/openStore.ts'
import { returnToken, takeToken } from '../platform/limits/takeToken.ts'

type Token = Omit<takeToken.Parameters, 'table'>

/** Takes a token of custody's own limits, whose table is not writable for the signer API. */
export function takeCustodyToken(db: Db, token: Token): Promise<takeToken.ReturnType> {
  return takeToken(db, { ...token, table: 'custody_limits' })
}

export function returnCustodyToken(db: Db, token: Token): Promise<void> {
  return returnToken(db, { ...token, table: 'custody_limits' })
}
