/** What a template turns into text and HTML. All texts are plain. */
export type MailDocument = {
  appName: string
  /** https. */
  logoUrl?: string | undefined
  /** In the mail's header. */
  subject: string
  /** The subject as the body shows it, which names the application already. */
  title: string
  blocks: readonly MailBlock[]
}

export type MailBlock =
  | { type: 'text'; text: string }
  /** The main action. */
  | { type: 'button'; label: string; href: string }
  | { type: 'code'; code: string }
  /** Which browser asked, and when. */
  | { type: 'context'; text: string }
  | { type: 'small'; text: string; href?: string | undefined }

/** Writes a mail as text and HTML. It must escape what it puts into HTML. */
export type MailTemplate = (document: MailDocument) => { text: string; html: string }
