import { Check, Copy as CopyIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from './Button';

export function CopyButton({ text, name = 'Copy' }: { text: string; name?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <IconButton
      name={copied ? 'Copied' : name}
      onClick={() => navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      {copied ? (
        <Check aria-hidden="true" className="size-4 text-running" />
      ) : (
        <CopyIcon aria-hidden="true" className="size-4" />
      )}
    </IconButton>
  );
}

/** A command to type elsewhere. */
export function CommandLine({ text }: { text: string }) {
  return (
    <div className="flex items-center gap-2 rounded-lg border border-line bg-sunken py-1 pr-1 pl-3">
      <code
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        tabIndex={0}
        className="min-w-0 flex-1 overflow-x-auto whitespace-nowrap font-mono text-xs"
      >
        {text}
      </code>
      <CopyButton text={text} name="Copy the command" />
    </div>
  );
}
