import { X } from 'lucide-react';
import { DropdownMenu, Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Button, IconButton } from './Button';
import { classes } from './classes';

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  hint?: ReactNode;
  children?: ReactNode;
}

const veil = 'fixed inset-0 z-40 bg-black/40';

export function Dialog({ open, onClose, title, hint, children }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={veil} />
        <Radix.Content
          {...(hint ? {} : { 'aria-describedby': undefined })}
          className="-translate-x-1/2 fixed top-[12vh] left-1/2 z-50 max-h-[80vh] w-[calc(100vw-2rem)] max-w-lg overflow-y-auto rounded-lg border border-line bg-raised p-6 shadow-(--shadow)"
        >
          <div className="flex items-start justify-between gap-4">
            <Radix.Title className="font-semibold text-base">{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton name="Close" className="-mt-1 -mr-2">
                <X aria-hidden="true" className="size-4" />
              </IconButton>
            </Radix.Close>
          </div>
          {hint && <Radix.Description className="mt-1 text-ink-2">{hint}</Radix.Description>}
          <div className="mt-5">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Says in a sentence what will happen before it does. */
export function Confirm({
  open,
  onClose,
  title,
  hint,
  action,
  busy,
  danger = false,
  onConfirm,
  children,
}: DialogProps & { action: string; busy: boolean; danger?: boolean; onConfirm: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title={title} hint={hint}>
      {children}
      <div className="mt-6 flex justify-end gap-2">
        <Button look="ghost" onClick={onClose}>
          Keep
        </Button>
        <Button look={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}

/** A detail beside the list that it belongs to; the whole screen on a phone. */
export function Sheet({ open, onClose, title, hint, children }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={veil} />
        <Radix.Content
          {...(hint ? {} : { 'aria-describedby': undefined })}
          className="fixed inset-y-0 right-0 z-50 flex w-full max-w-2xl flex-col overflow-y-auto border-line border-l bg-page shadow-(--shadow)"
        >
          <div className="sticky top-0 z-10 flex items-center justify-between gap-4 border-line border-b bg-page px-6 py-3">
            <div className="min-w-0">
              <Radix.Title className="truncate font-semibold text-base">{title}</Radix.Title>
              {hint && <Radix.Description className="text-ink-2 text-xs">{hint}</Radix.Description>}
            </div>
            <Radix.Close asChild>
              <IconButton name="Close">
                <X aria-hidden="true" className="size-4" />
              </IconButton>
            </Radix.Close>
          </div>
          <div className="p-6">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export interface MenuEntry {
  text: string;
  icon?: ReactNode;
  danger?: boolean;
  onSelect: () => void;
}

export function Menu({ trigger, entries }: { trigger: ReactNode; entries: readonly MenuEntry[] }) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          sideOffset={4}
          align="end"
          collisionPadding={8}
          className="z-50 min-w-44 rounded-lg border border-line bg-raised p-1 shadow-(--shadow)"
        >
          {entries.map((entry) => (
            <DropdownMenu.Item
              key={entry.text}
              onSelect={entry.onSelect}
              className={classes(
                'flex h-8 cursor-pointer items-center gap-2 rounded px-2.5 outline-none data-highlighted:bg-sunken',
                entry.danger && 'text-failed',
              )}
            >
              {entry.icon}
              {entry.text}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
