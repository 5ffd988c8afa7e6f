/** A mail before it has a look. All texts are plain. */
export type MailDocument = {
  appName: string
  /** https. */
  logoUrl?: string | undefined
  /** Of the mail's header. */
  subject: string
  /** The same in its body, which names the application already. */
  title: string
  blocks: readonly MailBlock[]
}

export type MailBlock =
  | { type: 'text'; text: string }
  /** The one thing to do. */
  | { type: 'button'; label: string; href: string }
  | { type: 'code'; code: string }
  /** Who asked, when and from where. */
  | { type: 'context'; text: string }
  | { type: 'small'; text: string; href?: string | undefined }

/** Gives a mail its look. It has to escape what it puts into HTML. */
export type MailTemplate = (document: MailDocument) => { text: string; html: string }
