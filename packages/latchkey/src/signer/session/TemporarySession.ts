/** What is kept of a mail that was asked for. */
export type TemporarySession = {
  orgId: string
  /** Names the code the mail carries, where the service sends one. */
  otpId?: string | undefined
  /** Whether it signs a new person up. Later clients of the wire use the same name. */
  isNewUser?: boolean | undefined
}
