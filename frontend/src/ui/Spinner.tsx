export function Spinner({ label }: { label?: string }) {
  return (
    <span role={label ? 'status' : undefined} aria-label={label} aria-hidden={label ? undefined : true}>
      <svg className="size-4 animate-spin" viewBox="0 0 16 16" fill="none" aria-hidden="true">
        <circle cx="8" cy="8" r="6" stroke="currentColor" strokeOpacity="0.25" strokeWidth="2" />
        <path d="M14 8a6 6 0 0 0-6-6" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
      </svg>
    </span>
  );
}
