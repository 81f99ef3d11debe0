import { MenuFoldOutlined, MenuUnfoldOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { Button } from 'antd';
import { useEffect, useRef } from 'react';
import { live } from '../api/live';
import { useLookAgain } from '../api/look-again';
import { mayDo, mayNothing, useSession } from '../api/session';
import { siteQuestion } from '../api/site';
import { EnvironmentBadge, environmentColour } from '../components/environment';
import { InstantCards } from '../components/instant';
import { ZoneChoice } from '../components/zone-choice';
import { useT } from '../lib/i18n';
import { setPreferences, usePreferences } from '../lib/preferences';
import { NoRights } from './dead-ends';
import { LiveControl } from './live-control';
import { NAV } from './nav';
import { queryClient } from './providers';
import { SearchButton } from './search/search-button';
import { Shortcuts } from './shortcuts';
import { StatusStrip } from './status-strip';
import { UserMenu } from './user-menu';
import './shell.css';

/** Around every page. Another person who signed in elsewhere in this browser begins afresh: nothing typed or opened before is theirs. */
export function Shell() {
  const username = useSession()?.username;
  const person = useRef(username);
  if (username !== undefined) person.current = username;
  return <Surroundings key={person.current} />;
}

/** Where one can go, how fresh it is, who one is. */
function Surroundings() {
  const t = useT();
  const session = useSession();
  const { navCollapsed } = usePreferences();
  const environment = useQuery({ ...siteQuestion, refetchInterval: useLookAgain(60_000) }).data?.environment;
  useEffect(() => live.start(queryClient), []);
  const main = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // Another page is read from its top; a choice on the same one moves nothing.
  useEffect(() => void main.current?.scrollTo(0, 0), [path]);
  return (
    <div
      className={environment?.production ? 'shell is-production' : 'shell'}
      style={environment ? environmentColour(environment) : undefined}
    >
      <a className="skip-link" href="#main">
        {t('shell.skip')}
      </a>
      <nav className="shell-nav" data-collapsed={navCollapsed} aria-label={t('shell.navigation')}>
        <div className="brand">
          <img src="icon.svg" width="20" height="20" alt="" />
          <span className="nav-text">Evenkeel</span>
        </div>
        {NAV.map(({ title, items }) => {
          const seen = items.filter(({ permission }) => !permission || mayDo(session, permission));
          if (seen.length === 0) return null;
          return (
            <section key={title}>
              <h2>{t(title)}</h2>
              <ul>
                {seen.map(({ to, label, icon: Icon }) => (
                  <li key={to}>
                    <Link to={to} title={t(label)} aria-label={t(label)} activeProps={{ 'aria-current': 'page' }}>
                      <span aria-hidden="true">
                        <Icon />
                      </span>
                      <span className="nav-text">{t(label)}</span>
                    </Link>
                  </li>
                ))}
              </ul>
            </section>
          );
        })}
      </nav>
      <header className="shell-top">
        <Button
          type="text"
          aria-label={t(navCollapsed ? 'shell.expand' : 'shell.collapse')}
          icon={navCollapsed ? <MenuUnfoldOutlined /> : <MenuFoldOutlined />}
          onClick={() => setPreferences({ navCollapsed: !navCollapsed })}
        />
        {environment && <EnvironmentBadge environment={environment} />}
        <SearchButton />
        <span className="grow" />
        <LiveControl />
        <ZoneChoice plain />
        <UserMenu />
      </header>
      <StatusStrip />
      <main className="shell-main" id="main" tabIndex={-1} ref={main}>
        {mayNothing(session) && !path.endsWith('/me') ? <NoRights key={path} /> : <Outlet />}
      </main>
      <Shortcuts />
      <InstantCards />
    </div>
  );
}
