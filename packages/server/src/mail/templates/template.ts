/** Input of a template. All texts are plain. */
export type MailDocument = {
  appName: string
  /** https. */
  logoUrl?: string | undefined
  /** Subject header of the mail. */
  subject: string
  /** Subject as shown in the body, which already contains the application's name. */
  title: string
  blocks: readonly MailBlock[]
}

export type MailBlock =
  | { type: 'text'; text: string }
  /** Label and URL of the main action. */
  | { type: 'button'; label: string; href: string }
  | { type: 'code'; code: string }
  /** Browser and time of the request. */
  | { type: 'context'; text: string }
  | { type: 'small'; text: string; href?: string | undefined }

/** Writes a mail as text and HTML. The template must escape all values in the HTML. */
export type MailTemplate = (document: MailDocument) => { text: string; html: string }
