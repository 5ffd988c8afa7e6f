import { useEffect, useId, useRef, useState } from 'react'
import { goTo, type Place } from '../places.ts'

const hashForm = /^0x[0-9a-fA-F]{64}$/
const addressForm = /^0x[0-9a-fA-F]{40}$/

type Command = { name: string; run(): void }

let open: (() => void) | undefined

export const openPalette = () => open?.()

/** Lists all places and handles pasted text, by Ctrl or Cmd with K. */
export function Palette({ menu }: { menu: readonly Place[] }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const listId = useId()
  useEffect(() => {
    function show(): void {
      setText('')
      setChosen(0)
      if (!dialog.current?.open) dialog.current?.showModal()
    }
    function onKey(event: KeyboardEvent): void {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      show()
    }
    open = show
    addEventListener('keydown', onKey)
    return () => {
      open = undefined
      removeEventListener('keydown', onKey)
    }
  }, [])
  const commands = findCommands(menu, text.trim())
  function run(command: Command | undefined): void {
    if (!command) return
    dialog.current?.close()
    command.run()
  }
  function onKey(event: React.KeyboardEvent): void {
    if (event.key === 'Enter') run(commands[chosen])
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    setChosen((chosen + step + commands.length) % Math.max(commands.length, 1))
  }
  return (
    <dialog ref={dialog} className="palette" aria-label="Go to">
      <input
        autoFocus
        role="combobox"
        aria-label="Page, operation hash, account or email address"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={`${listId}-${chosen}`}
        placeholder="Page, operation hash, account or email address"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setChosen(0)
        }}
        onKeyDown={onKey}
      />
      <div role="listbox" id={listId} aria-label="Results">
        {commands.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's.
          <div
            key={command.name}
            role="option"
            tabIndex={-1}
            id={`${listId}-${index}`}
            aria-selected={index === chosen}
            onClick={() => run(command)}
          >
            {command.name}
          </div>
        ))}
        {commands.length === 0 && <p className="empty">No matches</p>}
      </div>
    </dialog>
  )
}

function findCommands(menu: readonly Place[], text: string): Command[] {
  if (hashForm.test(text)) return [{ name: 'Show this operation', run: () => goTo(`/operations/${text}`) }]
  if (addressForm.test(text))
    return [
      { name: 'Operations of this account', run: () => goTo(`/operations?sender=${text}`) },
      { name: 'Users with this address', run: () => goTo(`/users?q=${text}`) },
    ]
  if (text.includes('@')) return [{ name: `Find ${text}`, run: () => goTo(`/users?q=${encodeURIComponent(text)}`) }]
  const words = text.toLowerCase()
  return menu
    .filter(({ name }) => name.toLowerCase().includes(words))
    .map(({ name, path }) => ({ name, run: () => goTo(path) }))
}
