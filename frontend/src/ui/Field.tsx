import { Check, ChevronDown } from 'lucide-react';
import { Checkbox as RadixCheckbox, Slider as RadixSlider, Switch as RadixSwitch } from 'radix-ui';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { classes } from './classes';

const box =
  'w-full rounded-lg border border-line bg-surface px-3 text-ink placeholder:text-ink-3 hover:border-line-strong focus:border-accent-ink focus:outline-none focus:ring-2 focus:ring-accent/30 aria-invalid:border-failed disabled:opacity-60';

interface Labelled {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
}

function Frame({ label, hint, error, id, children }: Labelled & { id: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children}
      {hint && !error && (
        <p id={`${id}-hint`} className="text-ink-3 text-xs">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} role="alert" className="text-failed text-xs">
          {error}
        </p>
      )}
    </div>
  );
}

function describe(id: string, { hint, error }: Pick<Labelled, 'hint' | 'error'>) {
  return error ? `${id}-error` : hint ? `${id}-hint` : undefined;
}

export function TextField({ label, hint, error, className, ...rest }: Labelled & ComponentProps<'input'>) {
  const id = useId();
  return (
    <Frame label={label} hint={hint} error={error} id={id}>
      <input
        id={id}
        {...rest}
        aria-invalid={error ? true : undefined}
        aria-describedby={describe(id, { hint, error })}
        className={classes(box, 'h-9', className)}
      />
    </Frame>
  );
}

export function TextArea({ label, hint, error, className, ...rest }: Labelled & ComponentProps<'textarea'>) {
  const id = useId();
  return (
    <Frame label={label} hint={hint} error={error} id={id}>
      <textarea
        id={id}
        {...rest}
        aria-invalid={error ? true : undefined}
        aria-describedby={describe(id, { hint, error })}
        className={classes(box, 'min-h-20 py-2', className)}
      />
    </Frame>
  );
}

export function SelectField({
  label,
  hint,
  error,
  className,
  children,
  ...rest
}: Labelled & ComponentProps<'select'>) {
  const id = useId();
  return (
    <Frame label={label} hint={hint} error={error} id={id}>
      <div className="relative">
        <select
          id={id}
          {...rest}
          aria-invalid={error ? true : undefined}
          aria-describedby={describe(id, { hint, error })}
          className={classes(box, 'h-9 appearance-none pr-8', className)}
        >
          {children}
        </select>
        <ChevronDown
          aria-hidden="true"
          className="pointer-events-none absolute top-2.5 right-2.5 size-4 text-ink-3"
        />
      </div>
    </Frame>
  );
}

export function CheckField({
  label,
  hint,
  checked,
  onChange,
}: {
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  const id = useId();
  return (
    <div className="flex gap-2.5">
      <RadixCheckbox.Root
        id={id}
        checked={checked}
        onCheckedChange={(value) => onChange(value === true)}
        className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-sm border border-line-strong bg-surface data-[state=checked]:border-accent data-[state=checked]:bg-accent"
      >
        <RadixCheckbox.Indicator>
          <Check aria-hidden="true" className="size-3 text-on-accent" strokeWidth={3} />
        </RadixCheckbox.Indicator>
      </RadixCheckbox.Root>
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && <p className="text-ink-3 text-xs">{hint}</p>}
      </div>
    </div>
  );
}

export function Switch({
  label,
  checked,
  onChange,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <RadixSwitch.Root
      aria-label={label}
      checked={checked}
      onCheckedChange={onChange}
      className="h-5 w-9 shrink-0 rounded-full bg-line-strong p-0.5 transition-colors data-[state=checked]:bg-accent"
    >
      <RadixSwitch.Thumb className="block size-4 rounded-full bg-white transition-transform data-[state=checked]:translate-x-4" />
    </RadixSwitch.Root>
  );
}

export function Slider({
  label,
  value,
  min,
  max,
  step = 1,
  onChange,
  words,
}: {
  label: string;
  value: number;
  min: number;
  max: number;
  step?: number;
  onChange: (value: number) => void;
  /** What the value means, for readers. */
  words: string;
}) {
  return (
    <RadixSlider.Root
      value={[value]}
      min={min}
      max={max}
      step={step}
      onValueChange={([next]) => next !== undefined && onChange(next)}
      className="relative flex h-5 w-full touch-none select-none items-center"
    >
      <RadixSlider.Track className="relative h-1.5 grow rounded-full bg-line">
        <RadixSlider.Range className="absolute h-full rounded-full bg-accent" />
      </RadixSlider.Track>
      <RadixSlider.Thumb
        aria-label={label}
        aria-valuetext={words}
        className="block size-5 rounded-full border-2 border-accent bg-surface"
      />
    </RadixSlider.Root>
  );
}

/** One of a few, side by side. */
export function Choice<T extends string | number>({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: readonly { value: T; text: string; because?: string | undefined }[];
  value: T;
  onChange: (value: T) => void;
}) {
  return (
    <fieldset className="flex flex-wrap gap-2">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          title={option.because}
          className={classes(
            'num flex h-9 min-w-11 items-center justify-center rounded-lg border px-3 has-focus-visible:outline-2 has-focus-visible:outline-accent-ink',
            option.because
              ? 'cursor-not-allowed border-line border-dashed text-ink-3'
              : option.value === value
                ? 'border-accent bg-accent/10 font-medium text-accent-ink'
                : 'cursor-pointer border-line bg-surface hover:border-line-strong',
          )}
        >
          <input
            type="radio"
            className="sr-only"
            name={label}
            disabled={option.because !== undefined}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.text}
          {option.because && <span className="sr-only">: {option.because}</span>}
        </label>
      ))}
    </fieldset>
  );
}
