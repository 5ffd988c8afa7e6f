/** NOTIFY channel that tells the mail role of a new row. */
export const mailChannel = 'latchkey_mail'
