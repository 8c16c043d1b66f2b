"""``python -m annotation_app.admin``: the researcher's page of one study, until it is stopped."""

from annotation_app.admin.serving import main

if __name__ == "__main__":
    main()
