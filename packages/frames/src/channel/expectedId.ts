import type { Message } from './createQueue.ts'
import { messageText } from './messageText.ts'

/**
 * Whose bundle the page says this is. A page that hands over a port can always tell, so it must; one that does not is
 * of a time when it could not: there what is signed is taken as it is (undefined).
 */
export function expectedId(message: Message, member: 'organizationId' | 'userId'): string | undefined {
  const value = message[member]
  if (value === undefined && message.channel === 'window') {
    console.warn(`This page does not send the ${member} of a bundle: upgrade its client to have that checked.`)
    return undefined
  }
  return messageText(value, member === 'userId' ? 'the user id' : 'the organization id')
}
