import type { Stamper } from '../custody/createCustodyClient.ts'
import type { PasskeyLoginParameters, PasskeySignupParameters } from '../types.ts'

/** A log-in by passkey; with `stamp` the person has chosen one already, in a form field of the page. */
export type PasskeyRequest = (PasskeyLoginParameters & { stamp?: Stamper | undefined }) | PasskeySignupParameters
