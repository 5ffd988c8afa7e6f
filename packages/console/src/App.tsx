import { Button } from '@latchkey/ui/Button'
import { Field } from '@latchkey/ui/Field'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useDevnet, useMails, useOpened } from './api/devnet.ts'
import { useConfig, useHealth, useOperator, useOverview, usePolicies, useProjects } from './api/queries.ts'
import { CallError } from './api/request.ts'
import { readClockSkew } from './api/serverTime.ts'
import { signOut } from './api/signIn.ts'
import { toCount, toDuration } from './format.ts'
import { ApiKeys } from './pages/ApiKeys.tsx'
import { AuditLog } from './pages/AuditLog.tsx'
import { DevnetPage } from './pages/DevnetPage.tsx'
import { Health } from './pages/Health.tsx'
import { Inbox } from './pages/Inbox.tsx'
import { Join } from './pages/Join.tsx'
import { OperationPage } from './pages/OperationPage.tsx'
import { Operations } from './pages/Operations.tsx'
import { Operators } from './pages/Operators.tsx'
import { Outbox } from './pages/Outbox.tsx'
import { Overview } from './pages/Overview.tsx'
import { Projects } from './pages/Projects.tsx'
import { SecurityEvents } from './pages/SecurityEvents.tsx'
import { SignIn } from './pages/SignIn.tsx'
import { Sponsorship } from './pages/Sponsorship.tsx'
import { UserPage } from './pages/UserPage.tsx'
import { Users } from './pages/Users.tsx'
import { Webhooks } from './pages/Webhooks.tsx'
import { Link } from './parts/Link.tsx'
import { Empty, Failure, Waiting } from './parts/Notice.tsx'
import { openPalette, Palette } from './parts/Palette.tsx'
import { type Place, places, setParameter, usePath } from './places.ts'

/** Shows an invitation or the sign-in before the console. */
export function App() {
  const config = useConfig()
  const { pathname } = usePath()
  const { signIn, pageToken, isEnded = false } = config.data ?? {}
  if (signIn && pathname === '/join') return <Join />
  if (!signIn) return <Console />
  const isIn = pageToken !== undefined
  return (
    <>
      {!isIn && <SignIn isEnded={isEnded} />}
      {/* Stays mounted when the session ends, so that unsaved input survives. */}
      {(isIn || isEnded) && (
        <div hidden={!isIn}>
          <Console />
        </div>
      )}
    </>
  )
}

function Console() {
  const config = useConfig()
  const operator = useOperator()

  const isDevnet = config.data?.isDevnet ?? false
  const menu = places.filter((place) => !('only' in place) || isDevnet)
  const { pathname } = usePath()
  const here = places.find(({ path }) => (path === '/' ? pathname === '/' : pathname.startsWith(path)))
  useEffect(() => {
    document.title = `${here?.name ?? 'Not found'} · Latchkey console`
  }, [here])
  const failed = config.error ?? operator.error
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <Menu menu={menu} here={here} isDevnet={isDevnet} />
      <main id="main" tabIndex={-1}>
        <h1>{here?.name ?? 'Not found'}</h1>
        {failed ? (
          <Failure
            error={failed}
            onRetry={() => {
              void config.refetch()
              void operator.refetch()
            }}
          />
        ) : config.isPending || operator.isPending ? (
          <Waiting />
        ) : (
          <Content pathname={pathname} isDevnet={isDevnet} />
        )}
      </main>
      <Palette menu={menu} />
    </div>
  )
}

function Content({ pathname, isDevnet }: { pathname: string; isDevnet: boolean }) {
  const projects = useProjects()
  const chosen = usePath().searchParams.get('project')
  if (projects.error) return <Failure error={projects.error} onRetry={() => void projects.refetch()} />
  const all = projects.data?.items ?? []
  const project = all.find(({ id }) => id === chosen) ?? all[0]
  const projectId = project?.id ?? ''
  const [, operation] = /^\/operations\/(0x[0-9a-fA-F]{64})$/.exec(pathname) ?? []
  if (operation) return <OperationPage userOpHash={operation} />
  const [, organization] = /^\/users\/([0-9a-f-]{36})$/.exec(pathname) ?? []
  if (organization) return <UserPage organizationId={organization} />
  return (
    <>
      {all.length > 1 && (
        <Field label="Project">
          <select value={projectId} onChange={(event) => setParameter('project', event.target.value)}>
            {all.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      )}
      <Page pathname={pathname} projectId={projectId} isDevnet={isDevnet} />
    </>
  )
}

function Page({ pathname, projectId, isDevnet }: { pathname: string; projectId: string; isDevnet: boolean }) {
  if (pathname === '/') return <Overview projectId={projectId} isDevnet={isDevnet} />
  if (pathname === '/users') return <Users />
  if (pathname === '/operations') return <Operations projectId={projectId} />
  if (pathname === '/sponsorship') return <Sponsorship projectId={projectId} />
  if (pathname === '/projects') return <Projects projectId={projectId} />
  if (pathname === '/keys') return <ApiKeys projectId={projectId} />
  if (pathname === '/webhooks') return <Webhooks projectId={projectId} />
  if (pathname === '/mails') return <Outbox />
  if (pathname === '/security') return <SecurityEvents />
  if (pathname === '/health') return <Health />
  if (pathname === '/operators') return <Operators />
  if (pathname === '/log') return <AuditLog />
  if (pathname === '/inbox' && isDevnet) return <Inbox />
  if (pathname === '/devnet' && isDevnet) return <DevnetPage />
  return <Empty>This page doesn’t exist. Choose one from the menu.</Empty>
}

type MenuProps = { menu: readonly Place[]; here: Place | undefined; isDevnet: boolean }

function Menu({ menu, here, isDevnet }: MenuProps) {
  const config = useConfig()
  const operator = useOperator()
  const counts = useCounts(isDevnet)
  const [isOpen, setOpen] = useState(false)
  return (
    <nav aria-label="Console" className={isOpen ? 'open' : undefined}>
      <div className="head">
        <div className="brand">
          <img src="/icon.svg" alt="" width="20" height="20" />
          Latchkey
        </div>
        <button type="button" className="button menu-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Menu
        </button>
      </div>
      <ul>
        {menu.map(({ path, name }) => (
          <li key={path}>
            <Link to={path} aria-current={here?.path === path ? 'page' : undefined} onClick={() => setOpen(false)}>
              {name}
              {counts[path] ? <span className="count">{toCount(counts[path])}</span> : null}
            </Link>
          </li>
        ))}
      </ul>
      <footer>
        {operator.data && (
          <p>
            {operator.data.name} · {operator.data.role}
          </p>
        )}
        {config.data?.signIn && <SignOut />}
        {isDevnet && <DevnetLine />}
        {operator.data && <HealthLine />}
        <ClockNote />
        <button type="button" className="find" onClick={openPalette}>
          Go to… <kbd>Ctrl</kbd> <kbd>K</kbd>
        </button>
      </footer>
    </nav>
  )
}

/** Returns counts only in a local devnet, where they are cheap. */
function useCounts(isDevnet: boolean): Partial<Record<Place['path'], number | undefined>> {
  const mails = useMails(isDevnet)
  const opened = useOpened()
  const projects = useProjects().data?.items ?? []
  const chosen = usePath().searchParams.get('project')
  const project = projects.find(({ id }) => id === chosen) ?? projects[0]
  const projectId = isDevnet ? (project?.id ?? '') : ''
  const totals = useOverview(projectId, 'hour').data?.totals
  const policies = usePolicies(projectId).data?.pages[0]?.items
  return {
    '/inbox': mails.data?.filter(({ id }) => !opened.has(id)).length,
    '/users': totals?.users,
    '/operations': totals && Object.values(totals.operations).reduce((sum, count) => sum + count, 0),
    '/sponsorship': policies?.length,
  }
}

function SignOut() {
  const end = useMutation({
    mutationFn: signOut,
    // Loads the page again, which discards all loaded data.
    onSettled: () => location.assign('/'),
  })
  return (
    <Button isBusy={end.isPending} onClick={() => end.mutate()}>
      Sign out
    </Button>
  )
}

/**
 * Warns about clock skew: ages and operators' stamps use the server's clock, while passkeys and the browser use the
 * local clock.
 */
function ClockNote() {
  const skewMs = readClockSkew()
  if (Math.abs(skewMs) < 60_000) return null
  const side = skewMs > 0 ? 'behind' : 'ahead of'
  return (
    <p role="status">
      This device’s clock is {toDuration(Math.abs(skewMs))} {side} the server.
    </p>
  )
}

/** Links an unhealthy state to its details. */
function HealthLine() {
  const roles = useHealth().data?.roles ?? []
  const lame = roles.filter(({ copies, ready, lacking }) => ready < copies || copies === 0 || lacking !== null)
  if (roles.length === 0) return null
  if (lame.length === 0) return <p>All roles ready</p>
  return (
    <p className="bad">
      <Link to="/health">{lame.map(({ role }) => role).join(', ')} not ready</Link>
    </p>
  )
}

function DevnetLine() {
  const devnet = useDevnet(true)
  if (devnet.error instanceof CallError) return <p role="status">The devnet is not responding</p>
  if (!devnet.data) return null
  const { chainId, block, aheadMs, readyMs } = devnet.data
  return (
    <>
      <p>
        Chain {chainId} · block {block}
      </p>
      <p>Started in {(readyMs / 1_000).toFixed(1)} s</p>
      {aheadMs > 1_000 && <p>Clock is {toDuration(aheadMs)} ahead</p>}
    </>
  )
}
