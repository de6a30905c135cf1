"""What people get where the site has no page.

CloudFront asks the image service where the bucket has none; its balancer, or the Lambda in place of
it, answers with this. It cannot be one of the bucket's files: CloudFront would show that in place
of the gateway's own 404 as well. Its script fetches the site's own page, in the theme's languages
(`vitrine/site/pages/missing_page.py`); without scripts it says so in all languages of the site.
"""

MISSING_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>There is no page here</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/theme/theme.css">
<link rel="stylesheet" href="/style.css">
<script type="module" src="/missing/missing.js"></script>
<main id="main">
<section class="notice bare">
<h1>There is no page here</h1>
<p>Perhaps the address is incomplete.</p>
<p><a href="/">To the first page</a></p>
<p lang="de">Hier gibt es keine Seite. <a href="/">Zur Startseite</a></p>
<p lang="fr">Il n&rsquo;y a pas de page ici. <a href="/">Vers l&rsquo;accueil</a></p>
</section>
</main>
</html>
"""
"""At most 1,024 bytes, which a balancer's answer may have; ASCII."""
CONTENT_TYPE = "text/html"
