import { Command, LogOut, Menu as MenuIcon, Monitor, Moon, PanelLeft, Settings, Sun } from 'lucide-react';
import { useState } from 'react';
import { NavLink, Outlet, useLocation, useNavigate } from 'react-router';
import { useLiveChanges } from '~/api/live';
import { useMe, useSignOut } from '~/features/auth/session';
import { Bell } from '~/features/notices/Bell';
import { Button, IconButton } from '~/ui/Button';
import { classes } from '~/ui/classes';
import { Menu, Sheet } from '~/ui/Overlay';
import { type Place, type Section, sections } from './navigation';
import { Palette } from './Palette';
import { chooseTheme, useTheme } from './theme';

const narrowKey = 'spur.sidebar';

/** Left bar, top line, page. On a phone the bar is at the bottom and the rest behind "More". */
export function Frame() {
  const me = useMe();
  useLiveChanges();
  const [narrow, setNarrow] = useState(() => localStorage.getItem(narrowKey) === 'narrow');
  const [palette, setPalette] = useState(false);
  const [more, setMore] = useState(false);
  const shown = sections.filter((section) => !section.admin || me.is_admin);

  function fold() {
    localStorage.setItem(narrowKey, narrow ? 'wide' : 'narrow');
    setNarrow(!narrow);
  }

  return (
    <div className="flex min-h-dvh">
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-lg focus:bg-raised focus:px-3 focus:py-2"
      >
        Skip to the page
      </a>
      <aside
        className={classes(
          'sticky top-0 hidden h-dvh shrink-0 flex-col border-line border-r bg-sunken md:flex',
          narrow ? 'w-14' : 'w-56',
        )}
      >
        <div className="flex h-14 items-center gap-2.5 px-3.5">
          <img src="/favicon.svg" alt="" className="size-7" />
          {!narrow && <span className="font-semibold">Spur Cloud</span>}
        </div>
        <nav aria-label="Main" className="flex-1 overflow-y-auto px-2 pb-4">
          <Places sections={shown} narrow={narrow} />
        </nav>
        <Foot narrow={narrow} onFold={fold} />
      </aside>
      <div className="flex min-w-0 flex-1 flex-col pb-16 md:pb-0">
        <div className="sticky top-0 z-30 flex h-14 items-center justify-between gap-3 border-line border-b bg-page/90 px-4 backdrop-blur md:px-8">
          <Breadcrumbs />
          <div className="flex items-center gap-1">
            <Button
              size="small"
              onClick={() => setPalette(true)}
              icon={<Command aria-hidden="true" className="size-3.5" />}
            >
              <span className="hidden sm:inline">Go to or do …</span>
              <kbd className="hidden rounded border border-line px-1 font-sans text-ink-3 text-xs sm:inline">
                Ctrl K
              </kbd>
              <span className="sr-only sm:hidden">Open the command palette</span>
            </Button>
            <Bell />
          </div>
        </div>
        <main id="page" tabIndex={-1} className="min-w-0 flex-1 outline-none">
          <Outlet />
        </main>
      </div>
      <nav
        aria-label="Main, at the bottom"
        className="fixed inset-x-0 bottom-0 z-30 flex h-16 border-line border-t bg-surface md:hidden"
      >
        {(['/', '/sessions', '/jobs', '/cluster'] as const).map((path) => {
          const place = sections.flatMap((section) => section.places).find((each) => each.path === path);
          return place ? <BottomLink key={path} place={place} /> : null;
        })}
        <button
          type="button"
          className="flex flex-1 flex-col items-center justify-center gap-1 text-ink-2 text-xs"
          onClick={() => setMore(true)}
        >
          <MenuIcon aria-hidden="true" className="size-5" />
          More
        </button>
      </nav>
      <Sheet open={more} onClose={() => setMore(false)} title="More">
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: closes behind a link that was followed */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the links are the controls */}
        <div onClick={() => setMore(false)}>
          <Places sections={shown} narrow={false} />
          <Foot narrow={false} />
        </div>
      </Sheet>
      <Palette open={palette} onOpen={setPalette} sections={shown} />
    </div>
  );
}

function Places({ sections: all, narrow }: { sections: readonly Section[]; narrow: boolean }) {
  return (
    <>
      {all.map((section) => (
        <div key={section.title ?? ''} className="mt-4 first:mt-0">
          {section.title && !narrow && (
            <p className="px-2 pb-1 font-medium text-ink-3 text-xs">{section.title}</p>
          )}
          <ul className="flex flex-col gap-0.5">
            {section.places.map((place) => (
              <li key={place.path}>
                <SideLink place={place} narrow={narrow} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}

function SideLink({ place, narrow }: { place: Place; narrow: boolean }) {
  const Icon = place.icon;
  return (
    <NavLink
      to={place.path}
      end={place.path === '/'}
      title={narrow ? place.title : undefined}
      className={({ isActive }) =>
        classes(
          'flex h-8 items-center gap-2.5 rounded-lg px-2.5',
          isActive
            ? 'bg-accent/10 font-medium text-accent-ink'
            : 'text-ink-2 hover:bg-line/60 hover:text-ink',
        )
      }
    >
      <Icon aria-hidden="true" className="size-4 shrink-0" />
      <span className={narrow ? 'sr-only' : undefined}>{place.title}</span>
    </NavLink>
  );
}

function BottomLink({ place }: { place: Place }) {
  const Icon = place.icon;
  return (
    <NavLink
      to={place.path}
      end={place.path === '/'}
      className={({ isActive }) =>
        classes(
          'flex flex-1 flex-col items-center justify-center gap-1 text-xs',
          isActive ? 'font-medium text-accent-ink' : 'text-ink-2',
        )
      }
    >
      <Icon aria-hidden="true" className="size-5" />
      {place.title}
    </NavLink>
  );
}

function Foot({ narrow, onFold }: { narrow: boolean; onFold?: () => void }) {
  const me = useMe();
  const signOut = useSignOut();
  const navigate = useNavigate();
  const theme = useTheme();
  const themes = { light: Sun, dark: Moon, system: Monitor } as const;
  const ThemeIcon = themes[theme];
  return (
    <div
      className={classes(
        'flex gap-1 border-line border-t p-2',
        narrow ? 'flex-col items-center' : 'items-center',
      )}
    >
      <Menu
        trigger={
          <button
            type="button"
            className="flex min-w-0 flex-1 items-center gap-2 rounded-lg p-1.5 text-left hover:bg-line/60"
          >
            <span
              aria-hidden="true"
              className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent font-medium text-on-accent text-xs"
            >
              {me.username.slice(0, 1).toUpperCase()}
            </span>
            <span className={narrow ? 'sr-only' : 'truncate'}>{me.display_name || me.username}</span>
            <span className="sr-only">, account</span>
          </button>
        }
        entries={[
          {
            text: 'Settings',
            icon: <Settings aria-hidden="true" className="size-4" />,
            onSelect: () => navigate('/settings'),
          },
          {
            text: 'Sign out',
            icon: <LogOut aria-hidden="true" className="size-4" />,
            onSelect: () => signOut.mutate(),
          },
        ]}
      />
      <Menu
        trigger={
          <IconButton name="Theme">
            <ThemeIcon aria-hidden="true" className="size-4" />
          </IconButton>
        }
        entries={[
          {
            text: 'Light',
            icon: <Sun aria-hidden="true" className="size-4" />,
            onSelect: () => chooseTheme('light'),
          },
          {
            text: 'Dark',
            icon: <Moon aria-hidden="true" className="size-4" />,
            onSelect: () => chooseTheme('dark'),
          },
          {
            text: 'As the system',
            icon: <Monitor aria-hidden="true" className="size-4" />,
            onSelect: () => chooseTheme('system'),
          },
        ]}
      />
      {onFold && (
        <IconButton name={narrow ? 'Widen the bar' : 'Narrow the bar'} onClick={onFold}>
          <PanelLeft aria-hidden="true" className="size-4" />
        </IconButton>
      )}
    </div>
  );
}

/** Of an id its beginning, as its owner tells it apart. */
function shorten(part: string): string {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(part) ? part.slice(0, 8) : part.slice(0, 24);
}

/** Where one is: the section's place, then whatever is below it. */
function Breadcrumbs() {
  const { pathname } = useLocation();
  const place = sections
    .flatMap((section) => section.places)
    .filter((each) => (each.path === '/' ? pathname === '/' : `${pathname}/`.startsWith(`${each.path}/`)))
    .sort((a, b) => b.path.length - a.path.length)[0];
  if (!place) return <span />;
  const below = pathname.slice(place.path.length).split('/').filter(Boolean);
  return (
    <nav aria-label="Breadcrumb" className="min-w-0">
      <ol className="flex items-center gap-1.5 text-ink-2">
        <li>
          {below.length > 0 ? (
            <NavLink to={place.path} className="hover:text-ink">
              {place.title}
            </NavLink>
          ) : (
            place.title
          )}
        </li>
        {below.map((part) => (
          <li key={part} className="flex min-w-0 items-center gap-1.5">
            <span aria-hidden="true" className="text-ink-3">
              /
            </span>
            <span className="truncate font-mono text-ink text-xs">{shorten(decodeURIComponent(part))}</span>
          </li>
        ))}
      </ol>
    </nav>
  );
}
