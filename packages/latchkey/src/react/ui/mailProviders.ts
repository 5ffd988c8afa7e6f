/** Webmail sites by e-mail domain. The URLs contain no user data. */
export const mailProviders = [
  { name: 'Gmail', url: 'https://mail.google.com/mail/', domains: ['gmail.com', 'googlemail.com'] },
  {
    name: 'Outlook',
    url: 'https://outlook.live.com/mail/',
    domains: ['outlook.com', 'hotmail.com', 'live.com', 'msn.com'],
  },
  {
    name: 'Yahoo Mail',
    url: 'https://mail.yahoo.com/',
    domains: ['yahoo.com', 'yahoo.de', 'yahoo.es', 'yahoo.fr', 'ymail.com'],
  },
  { name: 'iCloud Mail', url: 'https://www.icloud.com/mail', domains: ['icloud.com', 'me.com', 'mac.com'] },
  { name: 'Proton Mail', url: 'https://mail.proton.me/', domains: ['proton.me', 'protonmail.com', 'pm.me'] },
  { name: 'Yahoo!メール', url: 'https://mail.yahoo.co.jp/', domains: ['yahoo.co.jp'] },
] as const

/** Returns the webmail site of an e-mail address; undefined for an unknown domain. */
export function findMailProvider(email: string): { name: string; url: string } | undefined {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return mailProviders.find(({ domains }) => domains.some((known) => known === domain))
}
