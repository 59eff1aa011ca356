export function Spinner({ label }: { label?: string }) {
  const picture = (
    <svg className="size-4 animate-spin" viewBox="0 0 16 16" fill="none" aria-hidden="true">
      <circle cx="8" cy="8" r="6" stroke="currentColor" strokeOpacity="0.25" strokeWidth="2" />
      <path d="M14 8a6 6 0 0 0-6-6" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
  return label ? (
    <span role="status" aria-label={label}>
      {picture}
    </span>
  ) : (
    picture
  );
}
