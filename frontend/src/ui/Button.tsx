import { Slot } from 'radix-ui';
import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes';
import { Spinner } from './Spinner';
import { Tooltip } from './Tooltip';

type Look = 'primary' | 'secondary' | 'ghost' | 'danger';

const looks: Record<Look, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover',
  secondary: 'border border-line bg-surface text-ink hover:bg-sunken',
  ghost: 'text-ink-2 hover:bg-sunken hover:text-ink',
  danger: 'border border-line bg-surface text-failed hover:border-failed',
};

interface Props extends ComponentProps<'button'> {
  look?: Look;
  size?: 'small' | 'medium' | 'large';
  icon?: ReactNode;
  /** An action is under way: the button keeps its size and takes no second click. */
  busy?: boolean;
  /** Why it cannot be used now; said when one points at it. */
  because?: string | undefined;
  /** The child (a link) is the button. */
  asChild?: boolean;
}

export function Button({
  look = 'secondary',
  size = 'medium',
  icon,
  busy = false,
  because,
  asChild = false,
  className,
  children,
  disabled,
  onClick,
  ...rest
}: Props) {
  const blocked = because !== undefined;
  const look_ = classes(
    'inline-flex select-none items-center justify-center gap-2 whitespace-nowrap rounded-lg font-medium transition-colors',
    size === 'small' ? 'h-7 px-2.5 text-xs' : size === 'large' ? 'h-11 px-5 text-sm' : 'h-9 px-3.5 text-sm',
    looks[look],
    (disabled || blocked || busy) && 'cursor-not-allowed opacity-55',
    className,
  );
  if (asChild) {
    return <Slot.Root className={look_}>{children}</Slot.Root>;
  }
  const button = (
    <button
      type="button"
      {...rest}
      className={look_}
      disabled={disabled}
      aria-disabled={blocked || busy || undefined}
      aria-busy={busy || undefined}
      onClick={blocked || busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  );
  return blocked ? <Tooltip text={because}>{button}</Tooltip> : button;
}

/** A button that is only a picture; its name is for readers and the tooltip. */
export function IconButton({
  name,
  children,
  className,
  ...rest
}: Omit<ComponentProps<'button'>, 'name'> & { name: string }) {
  return (
    <Tooltip text={name}>
      <button
        type="button"
        aria-label={name}
        {...rest}
        className={classes(
          'inline-flex size-8 items-center justify-center rounded-lg text-ink-2 transition-colors hover:bg-sunken hover:text-ink',
          className,
        )}
      >
        {children}
      </button>
    </Tooltip>
  );
}
