/** What is kept of a mail that was asked for. `otpId` names the code it carries, where the service sends one. */
export type TemporarySession = { orgId: string; otpId?: string | undefined }
