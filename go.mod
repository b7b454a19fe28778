module github.com/licet-dev/licet

go 1.26
