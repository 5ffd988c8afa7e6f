import { logOut, send, signIn, watchWallet } from './wallet.ts'

const find = <element extends HTMLElement>(selector: string) => document.querySelector(selector) as element
const signedOut = find<HTMLFormElement>('form')
const signedIn = find('section')

watchWallet(({ status, address = '' }) => {
  signedOut.hidden = status !== 'signed out'
  signedIn.hidden = status !== 'signed in'
  find('#address').textContent = address
})

/** Runs an action and shows its outcome. */
async function say(work: () => Promise<unknown>): Promise<void> {
  const output = find('#outcome')
  output.textContent = 'One moment …'
  output.textContent = await work().then(
    (text) => String(text ?? ''),
    (error: Error) => error.message,
  )
}

signedOut.addEventListener('submit', (event) => {
  event.preventDefault()
  void say(() => signIn(find<HTMLInputElement>('input').value))
})
find('#send').addEventListener('click', () => say(send))
find('#log-out').addEventListener('click', () => say(logOut))
