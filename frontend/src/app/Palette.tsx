import { Command } from 'cmdk';
import { Boxes, Plus, Server } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import type { Section } from './navigation';

/** Ctrl-K: go anywhere by name, a job by its number, a node by its name. */
export function Palette({
  open,
  onOpen,
  sections,
}: {
  open: boolean;
  onOpen: (open: boolean) => void;
  sections: readonly Section[];
}) {
  const navigate = useNavigate();
  const [text, setText] = useState('');

  useEffect(() => {
    function keyDown(event: KeyboardEvent) {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        onOpen(true);
      }
    }
    document.addEventListener('keydown', keyDown);
    return () => document.removeEventListener('keydown', keyDown);
  }, [onOpen]);

  function go(path: string) {
    onOpen(false);
    setText('');
    navigate(path);
  }

  const typed = text.trim();
  return (
    <Command.Dialog
      open={open}
      onOpenChange={onOpen}
      label="Go to or do"
      overlayClassName="fixed inset-0 z-40 bg-black/40"
      contentClassName="-translate-x-1/2 fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-2rem)] max-w-lg overflow-hidden rounded-lg border border-line bg-raised shadow-(--shadow)"
    >
      <Command.Input
        value={text}
        onValueChange={setText}
        placeholder="A page, a job number, a node …"
        className="h-12 w-full border-line border-b bg-transparent px-4 outline-none placeholder:text-ink-3"
      />
      <Command.List className="max-h-80 overflow-y-auto p-1">
        <Command.Empty className="px-3 py-6 text-center text-ink-3">Nothing by that name.</Command.Empty>
        {/^\d+(_\d+)?$/.test(typed) && (
          <Entry
            value={`job ${typed}`}
            icon={<Boxes aria-hidden="true" className="size-4" />}
            onSelect={() => go(`/jobs/${typed}`)}
          >
            Job {typed}
          </Entry>
        )}
        {/^[A-Za-z][\w.-]*\d[\w.-]*$/.test(typed) && (
          <Entry
            value={`node ${typed}`}
            icon={<Server aria-hidden="true" className="size-4" />}
            onSelect={() => go(`/nodes/${typed}`)}
          >
            Node {typed}
          </Entry>
        )}
        <Entry
          value="launch a gpu session new"
          icon={<Plus aria-hidden="true" className="size-4" />}
          onSelect={() => go('/sessions/new')}
        >
          Launch a GPU
        </Entry>
        <Entry
          value="submit a job new"
          icon={<Plus aria-hidden="true" className="size-4" />}
          onSelect={() => go('/jobs/new')}
        >
          Submit a job
        </Entry>
        {sections.flatMap((section) =>
          section.places.map((place) => (
            <Entry
              key={place.path}
              value={`${section.title ?? ''} ${place.title}`}
              icon={<place.icon aria-hidden="true" className="size-4" />}
              onSelect={() => go(place.path)}
            >
              {place.title}
            </Entry>
          )),
        )}
        <Entry value="settings profile ssh keys tokens password" onSelect={() => go('/settings')}>
          Settings
        </Entry>
      </Command.List>
    </Command.Dialog>
  );
}

function Entry({
  value,
  icon,
  onSelect,
  children,
}: {
  value: string;
  icon?: ReactNode;
  onSelect: () => void;
  children: ReactNode;
}) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex h-9 cursor-pointer items-center gap-3 rounded px-3 text-ink-2 data-[selected=true]:bg-sunken data-[selected=true]:text-ink"
    >
      {icon}
      {children}
    </Command.Item>
  );
}
