import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { useCopy } from '@latchkey/ui/useCopy'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { clearMails, type Mail, mailFrame, useMails, useNoteOpened, useOpened } from '../api/devnet.ts'
import { toAge, toPlain, toTime } from '../format.ts'
import { Link } from '../parts/Link.tsx'
import { Empty, Failure, Waiting } from '../parts/Notice.tsx'

/** Lists mails of this machine. All content is text; HTML is shown in a frame without scripts. */
export function Inbox() {
  const mails = useMails(true)
  const client = useQueryClient()
  const opened = useOpened()
  const [chosen, setChosen] = useState<string>()
  const clear = useMutation({
    mutationFn: clearMails,
    onSettled: () => client.invalidateQueries({ queryKey: ['mails'] }),
  })
  if (mails.isPending) return <Waiting />
  if (!mails.data) return <Failure error={mails.error} onRetry={() => void mails.refetch()} />
  const shown = mails.data.find(({ id }) => id === chosen) ?? mails.data[0]
  const remove = (
    <Button isBlocked={mails.data.length === 0 || clear.isPending} onClick={() => clear.mutate()}>
      Delete all
    </Button>
  )
  return (
    <div className="columns inbox">
      <Card title="Emails" aside={remove}>
        {shown ? (
          <ul className="mails">
            {mails.data.map((mail) => (
              <li key={mail.id}>
                <button type="button" aria-current={mail === shown} onClick={() => setChosen(mail.id)}>
                  <b>{toPlain(mail.subject) || '(no subject)'}</b>
                  <span className="quiet">
                    to {toPlain(mail.to)} · {toAge(mail.receivedAt)}
                    {opened.has(mail.id) && ' · opened'}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        ) : (
          <Empty>No emails yet. They show up here as soon as they arrive.</Empty>
        )}
      </Card>
      {shown && <Message key={shown.id} mail={shown} />}
    </div>
  )
}

function Message({ mail }: { mail: Mail }) {
  return (
    <Card title={toPlain(mail.subject) || '(no subject)'}>
      <div className="inset">
        <p className="quiet">
          {toPlain(mail.from)} to {toPlain(mail.to)}, {toTime(mail.receivedAt)}
        </p>
        <Actions mail={mail} />
        {mail.html ? (
          <iframe
            className="letter"
            title="Email"
            sandbox="allow-popups allow-popups-to-escape-sandbox"
            src={mailFrame(mail.id)}
          />
        ) : (
          <pre>{mail.text}</pre>
        )}
        <details>
          <summary>Links</summary>
          <ul>
            {mail.links.map((link) => (
              <li key={link}>
                <a href={link} target="_blank" rel="noreferrer noopener">
                  {link}
                </a>
              </li>
            ))}
          </ul>
        </details>
      </div>
    </Card>
  )
}

/** Path of the frames for links that ask for a decision. */
const confirmPath = /\/confirm\/?$/

/** Actions for a mail: open its link, confirm its request, or copy its code. */
function Actions({ mail: { id, links, code } }: { mail: Mail }) {
  const { copy, isCopied } = useCopy()
  const [link] = links
  const note = useNoteOpened()
  return (
    <p className="actions">
      {link && (
        <a className="button primary" href={link} target="_blank" rel="noreferrer noopener" onClick={() => note(id)}>
          {confirmPath.test(new URL(link).pathname) ? 'Open and confirm' : 'Open link'}
        </a>
      )}
      {code && (
        <Button
          onClick={() => {
            note(id)
            copy(code)
          }}
        >
          {isCopied ? 'Copied' : `Copy code ${code}`}
        </Button>
      )}
    </p>
  )
}

/** Shows the newest two, for the overview. */
export function MailCard() {
  const mails = useMails(true)
  const opened = useOpened()
  return (
    <Card title="Inbox" aside={<Link to="/inbox">All emails</Link>}>
      {mails.error ? <Failure error={mails.error} /> : null}
      {mails.data?.length === 0 && <Empty>No emails yet.</Empty>}
      {mails.data?.slice(0, 2).map((mail) => (
        <div className="inset mail" key={mail.id}>
          <b>{toPlain(mail.subject)}</b>
          <p className="quiet">
            to {toPlain(mail.to)} · {toAge(mail.receivedAt)}
            {opened.has(mail.id) && ' · opened'}
          </p>
          <Actions mail={mail} />
        </div>
      ))}
    </Card>
  )
}
